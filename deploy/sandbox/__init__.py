"""Discord on your own machine: a loopback stand-in for development and trying out.

A bot that is pointed at it logs in over a real WebSocket and real HTTP; people are
played through `World`'s methods or on the web page.
"""

from .errors import HandError, NoAnswerError, SandboxError
from .interaction import Interaction, InteractionState
from .server import TOKEN, AddressError, Sandbox, running_sandbox
from .snapshot import SnapshotError
from .world import World

__all__ = [
    "TOKEN",
    "AddressError",
    "HandError",
    "Interaction",
    "InteractionState",
    "NoAnswerError",
    "Sandbox",
    "SandboxError",
    "SnapshotError",
    "World",
    "running_sandbox",
]
