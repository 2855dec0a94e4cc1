"""Routes of interactions: the first answer, and what follows through the webhook."""

from __future__ import annotations

from .errors import refusal
from .interaction import Interaction
from .interaction_payloads import callback_json
from .model import Message
from .payloads import message_json
from .rest import Call, Result, Routes

routes = Routes()

_WEBHOOK = "/webhooks/{webhook_id}/{token}"


@routes.on("POST", "/interactions/{interaction_id}/{token}/callback", needs_token=False)
async def answer(call: Call) -> Result:
    """Take the first answer; tell what became of it only when asked."""
    interaction = call.world.answer(
        call.ids["interaction_id"], call.texts["token"], call.form, call.uploads
    )
    if not call.flag("with_response"):
        return None
    return callback_json(call.world, interaction)


@routes.on("GET", _WEBHOOK, needs_token=False)
async def get_webhook(call: Call) -> Result:
    """Describe the webhook of an interaction."""
    interaction = _interaction(call)
    return {
        "id": str(call.world.application_id),
        "type": 3,
        "application_id": str(call.world.application_id),
        "name": call.world.bot.username,
        "avatar": None,
        "channel_id": None,
        "guild_id": interaction.guild_id and str(interaction.guild_id),
        "token": interaction.token,
    }


@routes.on("POST", _WEBHOOK, needs_token=False)
async def follow_up(call: Call) -> Result:
    """Send a follow-up; for interactions Discord always returns it."""
    message = call.world.follow_up(_interaction(call), call.form, call.uploads)
    return message_json(call.world, message)


@routes.on("GET", _WEBHOOK + "/messages/@original", needs_token=False)
async def get_original(call: Call) -> Result:
    """Return the first answer."""
    return message_json(call.world, call.world.original(_interaction(call)))


@routes.on("PATCH", _WEBHOOK + "/messages/@original", needs_token=False)
async def edit_original(call: Call) -> Result:
    """Edit the first answer, or put it in the place of a deferred one."""
    interaction = _interaction(call)
    return _edit(call, interaction, call.world.original(interaction))


@routes.on("DELETE", _WEBHOOK + "/messages/@original", needs_token=False)
async def delete_original(call: Call) -> Result:
    """Delete the first answer."""
    interaction = _interaction(call)
    call.world.retract(interaction, call.world.original(interaction))
    return None


@routes.on("GET", _WEBHOOK + "/messages/{message_id}", needs_token=False)
async def get_message(call: Call) -> Result:
    """Return a message sent through this webhook."""
    return message_json(call.world, _own(call))


@routes.on("PATCH", _WEBHOOK + "/messages/{message_id}", needs_token=False)
async def edit_message(call: Call) -> Result:
    """Edit a message sent through this webhook."""
    return _edit(call, _interaction(call), _own(call))


@routes.on("DELETE", _WEBHOOK + "/messages/{message_id}", needs_token=False)
async def delete_message(call: Call) -> Result:
    """Delete a message sent through this webhook."""
    call.world.retract(_interaction(call), _own(call))
    return None


def _interaction(call: Call) -> Interaction:
    return call.world.by_webhook(call.ids["webhook_id"], call.texts["token"])


def _own(call: Call) -> Message:
    return call.world.own_message(_interaction(call), call.ids["message_id"])


def _edit(call: Call, interaction: Interaction, message: Message) -> Result:
    if message.author_id != call.world.bot_id:
        raise refusal(50005)
    revised = call.world.revise(interaction, message, call.form, call.uploads)
    return message_json(call.world, revised)
