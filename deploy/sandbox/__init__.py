"""Discord on your own machine: a loopback stand-in for development and trying out.

A bot that is pointed at it logs in over a real WebSocket and real HTTP; people are
played on the web page or through `People`, by tests.
"""

from .errors import HandError, NoAnswerError, SandboxError
from .interactions import Interaction, InteractionState
from .intro import OTHER, Action, Intro
from .people import People
from .server import TOKEN, AddressError, Sandbox, running_sandbox
from .snapshot import SnapshotError
from .world import World

__all__ = [
    "OTHER",
    "TOKEN",
    "Action",
    "AddressError",
    "HandError",
    "Interaction",
    "InteractionState",
    "Intro",
    "NoAnswerError",
    "People",
    "Sandbox",
    "SandboxError",
    "SnapshotError",
    "World",
    "running_sandbox",
]
