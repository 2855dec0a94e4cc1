"""The custom ids of the buttons under `/privacy`. Add forms, never change one.

None names a person: each is about whoever presses it.
"""

from __future__ import annotations

GET = "privacy:get"
DELETE = "privacy:delete"
REALLY_DELETE = "privacy:really-delete"
KEEP = "privacy:keep"
