"""The contexts of the texts of slash commands, and what Discord demands of each."""

from __future__ import annotations

import re
from typing import Final

from bot.language.speech import BUTTON

COMMAND: Final = "command"
MENU: Final = "menu"
OPTION: Final = "option"
DESCRIPTION: Final = "description"
CHOICE: Final = "choice"

LONGEST: Final = {COMMAND: 32, MENU: 32, OPTION: 32, DESCRIPTION: 100, CHOICE: 100, BUTTON: 80}
"""So many characters Discord takes."""

_NAME: Final = re.compile(r"[-'\w]{1,32}")


def is_name(text: str) -> bool:
    """Tell whether Discord takes `text` as the name of a command or of an option.

    Examples:
        >>> is_name("spielen"), is_name("Spielen"), is_name("zwei worte"), is_name("доска")
        (True, False, False, True)
    """
    return _NAME.fullmatch(text) is not None and text == text.lower()
