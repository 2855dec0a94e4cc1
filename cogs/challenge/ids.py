"""The custom ids of a challenge's buttons. Add forms, never change one."""

from __future__ import annotations

CHALLENGE = r"(?P<challenge_id>\d{1,18})"

ACCEPT = rf"accept:{CHALLENGE}"
DECLINE = rf"decline:{CHALLENGE}"
WITHDRAW = rf"withdraw:{CHALLENGE}"


def accept_id(challenge_id: int) -> str:
    """Accept a challenge, or take an open one."""
    return f"accept:{challenge_id}"


def decline_id(challenge_id: int) -> str:
    """Decline a challenge."""
    return f"decline:{challenge_id}"


def withdraw_id(challenge_id: int) -> str:
    """Take one's own challenge back."""
    return f"withdraw:{challenge_id}"
