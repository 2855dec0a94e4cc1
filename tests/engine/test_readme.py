"""The README's examples of the library are run."""

from __future__ import annotations

import doctest
import re

from tests.engine.programs import ROOT


def test_the_examples_of_the_readme_are_true():
    text = (ROOT / "engine" / "README.md").read_text()
    examples = "\n".join(re.findall(r"```python\n(>>> .*?)```", text, re.DOTALL))
    found = doctest.DocTestParser().get_doctest(examples, {}, "README", "engine/README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(found)

    assert len(found.examples) > 20
    assert runner.failures == 0
