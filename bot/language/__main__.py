"""`python -m bot.language update` and `check`: keeping the catalogues whole."""

from __future__ import annotations

import argparse

from bot.language.catalogues import FOREIGN, load_catalogue, path_of, update
from bot.language.checking import mistakes_in
from bot.language.extraction import extract


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bot.language", description=__doc__)
    parser.add_argument(
        "what",
        choices=("update", "check"),
        help="update: write new texts into the catalogues; check: report mistakes in them",
    )
    chosen = parser.parse_args().what
    texts = extract()
    if chosen == "update":
        for language, count in update(texts).items():
            print(f"{path_of(language).name}: {len(texts)} texts, {count} to be translated")
        return 0
    found = [
        f"{path_of(language).name}: {mistake}"
        for language in FOREIGN
        for mistake in mistakes_in(load_catalogue(language), texts)
    ]
    print("\n".join(found) if found else "The catalogues are whole.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
