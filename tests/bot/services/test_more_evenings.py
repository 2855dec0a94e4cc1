"""The other half of the long evenings: by themselves they would take an hour."""

import pytest

from tests.bot.services.test_state_machine import LongEvening, long_evenings

TestMoreEvenings = pytest.mark.long(pytest.mark.timeout(3600)(LongEvening.TestCase))
TestMoreEvenings.settings = long_evenings
