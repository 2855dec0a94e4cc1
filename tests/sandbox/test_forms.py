"""Limits of messages and components, with the path of every mistake."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.sandbox import World
from deploy.sandbox.components import finish_components
from deploy.sandbox.errors import ApiError
from deploy.sandbox.forms import read_message_form
from deploy.sandbox.model import Upload
from tests.sandbox.conftest import Http

V2 = 1 << 15


def button(custom_id: str = "b", **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": custom_id} | more


def row(*inside: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(inside)}


def text(content: str = "x") -> dict[str, Any]:
    return {"type": 10, "content": content}


def gallery(*urls: str) -> dict[str, Any]:
    return {"type": 12, "items": [{"media": {"url": url}} for url in urls]}


def menu(count: int, **more: Any) -> dict[str, Any]:
    options = [{"label": str(each), "value": str(each)} for each in range(count)]
    return {"type": 3, "custom_id": "m", "options": options} | more


def chosen(select: dict[str, Any]) -> dict[str, Any]:
    """Return a menu in which every option is chosen in advance."""
    return select | {"options": [each | {"default": True} for each in select["options"]]}


def people(**more: Any) -> dict[str, Any]:
    return {"type": 5, "custom_id": "p"} | more


_DEFAULTS = "components.0.components.0.default_values"


@pytest.fixture
def path(world: World) -> str:
    return f"/channels/{world.channel_called('games').id}/messages"


def codes_at(errors: dict[str, Any], at: str) -> list[str]:
    """Return the codes noted at a dotted path."""
    node = errors
    for step in at.split("."):
        node = node[step]
    return [each["code"] for each in node["_errors"]]


@pytest.mark.parametrize(
    ("components", "at"),
    [
        ([text() for _ in range(41)], "components"),
        ([text("x" * 2001), text("x" * 2000)], "components"),
        ([text("x" * 4001)], "components.0.content"),
        ([text("")], "components.0.content"),
        ([row(*[button(str(each)) for each in range(6)])], "components.0.components"),
        ([row()], "components.0.components"),
        ([row(button("x" * 101))], "components.0.components.0.custom_id"),
        ([row({"type": 2, "style": 1, "label": "x"})], "components.0.components.0.custom_id"),
        ([row(button("a"), button("a"))], "components.0.components.1.custom_id"),
        ([row(button("a")), row(button("a"))], "components.1.components.0.custom_id"),
        ([row(button("a", label="x" * 81))], "components.0.components.0.label"),
        ([row(button("a", label=""))], "components.0.components.0"),
        ([row(button("a", style=9))], "components.0.components.0.style"),
        ([gallery(*["https://a.example/b.png"] * 11)], "components.0.items"),
        ([gallery()], "components.0.items"),
        ([gallery("ftp://a.example")], "components.0.items.0.media.url"),
        ([row(menu(26))], "components.0.components.0.options"),
        ([row(menu(0))], "components.0.components.0.options"),
        ([row(menu(2), button())], "components.0.components.1"),
        ([row(menu(2, max_values=3))], "components.0.components.0.options"),
        ([row(menu(3, min_values=2))], "components.0.components.0.min_values"),
        ([row(menu(2, min_values=26))], "components.0.components.0.min_values"),
        ([row(chosen(menu(2)))], "components.0.components.0.options"),
        ([row(people(default_values=[{"id": "1", "type": "user"}] * 2))], _DEFAULTS),
        ([row(people(default_values=[{"id": "1", "type": "role"}]))], f"{_DEFAULTS}.0.type"),
        ([row(people(default_values=[{"id": "x", "type": "user"}]))], f"{_DEFAULTS}.0.id"),
        ([row(menu(2, placeholder="x" * 151))], "components.0.components.0.placeholder"),
        ([{"type": 9, "components": [text()]}], "components.0.accessory"),
        ([{"type": 17, "components": [button()]}], "components.0.components.0.type"),
        ([{"type": 99}], "components.0.type"),
        ([text() | {"id": 7}, text() | {"id": 7}], "components.1.id"),
    ],
)
async def test_components_have_limits(http: Http, path: str, components: list[Any], at: str):
    reply = await http("POST", path, {"flags": V2, "components": components})

    assert (reply.status, reply.code) == (400, 50035)
    assert reply.body["message"] == "Invalid Form Body"
    assert codes_at(reply.body["errors"], at)


@pytest.mark.parametrize(
    "components",
    [
        [text("x" * 4000)],
        [row(*[button(str(each), label="x" * 80) for each in range(5)])],
        [row(button("x" * 100))],
        [gallery(*["https://a.example/b.png"] * 10)],
        [row(menu(25))],
        [row(menu(2, min_values=0))],
        [row(chosen(menu(3, max_values=3)))],
        [row(people(default_values=[{"id": "1", "type": "user"}]))],
        [{"type": 17, "components": [text(), row(button()), {"type": 14}]}],
        [{"type": 9, "components": [text()], "accessory": button()}],
        [row({"type": 2, "style": 5, "label": "Link", "url": "https://a.example"})],
        # A free choice of 9 boards and 9 cells with five controls, on the edge of what fits.
        [row(*[button(f"{r}.{c}") for c in range(5)]) for r in range(6)] + [text()] * 4,
    ],
)
async def test_what_is_within_the_limits_is_sent(http: Http, path: str, components: list[Any]):
    reply = await http("POST", path, {"flags": V2, "components": components})

    assert reply.status == 200
    assert reply.body["components"][0]["id"] >= 1


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({"content": "x" * 2001}, "content"),
        ({"content": "x", "flags": V2, "components": [text()]}, "content"),
        ({"embeds": [{"title": "x"}], "flags": V2, "components": [text()]}, "embeds"),
        ({"components": [text()]}, "components.0.type"),
        ({"embeds": [{"title": "x" * 257}]}, "embeds.0.title"),
        ({"embeds": [{"fields": [{"name": "", "value": "x"}]}]}, "embeds.0.fields.0.name"),
        ({"embeds": [{"description": "x" * 3500}] * 2}, "embeds"),
        ({"components": [row(button(str(each))) for each in range(6)]}, "components"),
        ({"content": "x", "message_reference": {"message_id": "1"}}, "message_reference"),
        ({"content": "x", "attachments": [{"id": "5", "filename": "a"}]}, "attachments.0"),
    ],
)
async def test_messages_have_limits(http: Http, path: str, body: dict[str, Any], at: str):
    reply = await http("POST", path, body)

    assert (reply.status, reply.code) == (400, 50035)
    assert codes_at(reply.body["errors"], at)


async def test_every_mistake_is_named_at_once(http: Http, path: str):
    components = [row(button("a", label="x" * 81)), row(button("a"))]
    reply = await http("POST", path, {"content": "x" * 2001, "components": components})

    assert sorted(reply.body["errors"]) == ["components", "content"]
    assert sorted(reply.body["errors"]["components"]) == ["0", "1"]


async def test_an_empty_message_is_refused(http: Http, path: str):
    reply = await http("POST", path, {"content": ""})

    assert (reply.status, reply.code) == (400, 50006)


async def test_a_file_over_the_limit_is_refused(http: Http, path: str, world: World):
    world.limits.upload_bytes = 1000
    fits = await http("POST", path, {}, files={"a.txt": b"x" * 1000})
    reply = await http("POST", path, {}, files={"a.txt": b"x" * 1001})

    assert fits.status == 200
    assert (reply.status, reply.code) == (413, 40005)


async def test_the_limit_is_ten_mebibytes(world: World):
    assert world.limits.upload_bytes == 10_485_760


async def test_embeds_are_sent(http: Http, path: str):
    embed = {"type": "rich", "title": "x", "fields": [{"name": "a", "value": "b"}]}
    reply = await http("POST", path, {"embeds": [embed]})

    assert reply.body["embeds"] == [embed]


async def test_names_of_files_are_tidied(http: Http, path: str):
    """A reference to the untidy name then finds nothing, as on Discord."""
    sent = await http("POST", path, {}, files={"my board (1)#?.png": b"x"})
    (attachment,) = sent.body["attachments"]

    assert attachment["filename"] == "my_board_1.png"
    assert (await http("GET", attachment["url"])).body == b"x"


@pytest.mark.parametrize(
    ("body", "at", "code"),
    [
        ({"content": 5}, "content", "STRING_TYPE_CONVERT"),
        ({"components": {}}, "components", "LIST_TYPE_CONVERT"),
        ({"components": [5]}, "components.0", "DICT_TYPE_CONVERT"),
        ({"components": [{"type": "1"}]}, "components.0.type", "NUMBER_TYPE_COERCE"),
        ({"message_reference": "1"}, "message_reference", "DICT_TYPE_CONVERT"),
    ],
)
async def test_fields_have_types(http: Http, path: str, body: Any, at: str, code: str):
    reply = await http("POST", path, body)

    assert codes_at(reply.body["errors"], at) == [code]


WORDS = st.sampled_from(["", "a", "b", "c", "d"])
JUNK = st.none() | st.booleans() | st.integers(-1, 25) | WORDS | st.lists(st.none(), max_size=1)
URLS = st.sampled_from(["attachment://a", "https://a.example", "nowhere"])
FIELDS = {
    "id": st.integers(0, 5),
    "style": st.integers(1, 6),
    "custom_id": WORDS,
    "content": WORDS,
    "label": WORDS,
    "url": URLS,
    "placeholder": WORDS,
    "min_values": st.integers(-1, 2),
    "max_values": st.integers(0, 26),
    "options": st.lists(st.fixed_dictionaries({"label": WORDS, "value": WORDS}), max_size=2),
    "media": st.fixed_dictionaries({}, optional={"url": URLS}),
    "file": st.fixed_dictionaries({"url": URLS}),
    "items": st.lists(
        st.fixed_dictionaries({}, optional={"media": st.fixed_dictionaries({"url": URLS})}),
        max_size=2,
    ),
    "disabled": JUNK,
    "description": WORDS,
    "emoji": st.just({"name": "x"}),
}


def parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what looks somewhat like components, with `inner` ones inside."""
    lists = st.lists(inner, max_size=4)
    return st.fixed_dictionaries(
        {"type": st.integers(1, 18), "components": lists},
        optional={"accessory": inner, "component": inner, **FIELDS},
    )


SIMPLE = st.fixed_dictionaries({"type": st.sampled_from([2, 3, 10, 11, 12, 13])}, optional=FIELDS)
PARTS = st.recursive(SIMPLE, parts, max_leaves=8)


@given(st.lists(PARTS, max_size=3) | st.lists(JUNK, max_size=1), st.booleans())
def test_no_form_breaks_the_rules_that_judge_it(form: Any, with_file: bool):
    """Whatever is sent is either taken and kept, or refused in Discord's words."""
    uploads = [Upload(field="files[0]", filename="a", data=b"")] * with_file
    code = None
    try:
        read = read_message_form({"components": form, "flags": V2}, uploads, upload_bytes=9)
        finish_components(read.body["components"] or [], [])
    except ApiError as refused:
        code = refused.code
    assert code in (None, 50035, 50006)


async def test_components_show_files_that_are_there_and_all_that_are_new(http: Http, path: str):
    missing = {"flags": V2, "components": [gallery("attachment://a.png")]}
    unshown = {"flags": V2, "components": [text()]}

    no_file = await http("POST", path, missing)
    no_place = await http("POST", path, unshown, files={"a.png": b"x"})

    assert codes_at(no_file.body["errors"], "components") == [
        "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
    ]
    assert (no_place.status, no_place.code) == (400, 50035)


async def test_an_edit_keeps_the_files_that_it_names(http: Http, path: str):
    """Without a list all stay; a list keeps what it names; new ones are added."""
    sent = await http("POST", path, {"content": "x"}, files={"a.txt": b"a", "b.txt": b"b"})
    message = f"{path}/{sent.body['id']}"
    first, second = sent.body["attachments"]

    untouched = await http("PATCH", message, {"content": "y"})
    entries = [{"id": second["id"]}, {"id": 0, "filename": "c.txt", "description": "new"}]
    changed = await http("PATCH", message, {"attachments": entries}, files={"c.txt": b"c"})
    emptied = await http("PATCH", message, {"attachments": []})

    names = [each["filename"] for each in changed.body["attachments"]]
    assert len(untouched.body["attachments"]) == 2
    assert names == ["b.txt", "c.txt"]
    assert changed.body["attachments"][0]["id"] == second["id"] != first["id"]
    assert changed.body["attachments"][1]["description"] == "new"
    assert emptied.body["attachments"] == []


async def test_a_picture_stays_when_an_edit_repeats_its_address(http: Http, path: str):
    """A view read back from a message and sent again names files by address."""
    body = {"flags": V2, "components": [gallery("attachment://a.txt"), text("one")]}
    sent = await http("POST", path, body, files={"a.txt": b"a"})
    url = sent.body["components"][0]["items"][0]["media"]["url"]

    again = {"components": [gallery(url), text("two")]}
    edited = await http("PATCH", f"{path}/{sent.body['id']}", again)

    media = edited.body["components"][0]["items"][0]["media"]
    assert media["url"] == url
    assert media["attachment_id"] == media["id"]
    assert (await http("GET", url)).body == b"a"


async def test_components_cannot_be_turned_back_into_text(http: Http, path: str):
    sent = await http("POST", path, {"flags": V2, "components": [text()]})
    message = f"{path}/{sent.body['id']}"

    plain = await http("PATCH", message, {"content": "plain"})
    unset = await http("PATCH", message, {"flags": 0})

    assert codes_at(plain.body["errors"], "content")
    assert codes_at(unset.body["errors"], "flags")


async def test_text_can_be_turned_into_components(http: Http, path: str):
    sent = await http("POST", path, {"content": "plain"})
    message = f"{path}/{sent.body['id']}"

    left = await http("PATCH", message, {"flags": V2, "components": [text()]})
    cleared = {"flags": V2, "content": None, "components": [text()]}
    turned = await http("PATCH", message, cleared)

    assert codes_at(left.body["errors"], "content")
    assert turned.body["flags"] == V2
    assert turned.body["content"] == ""
