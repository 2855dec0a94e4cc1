"""Discord on your own machine: a loopback stand-in for development and for trying things out.

A bot pointed at it logs in over a real WebSocket and real HTTP. You play the people on the
web page; tests play them through `People`.
"""

from .errors import HandError, NoAnswerError, SandboxError
from .interactions import Interaction, InteractionState
from .intro import OTHER, Action, Intro
from .people import People
from .server import AddressError, Sandbox, running_sandbox
from .snapshot import SnapshotError
from .world import World

__all__ = [
    "OTHER",
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
