"""`compile`: make the compiled kernels ready, so that nothing waits for them later."""

from __future__ import annotations

import argparse
import sys

from engine.cli._options import Commands, add_command


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    add_command(
        commands,
        "compile",
        _run,
        "Compile the kernels, or load them when they are.",
        "The compiled code is kept in .cache/kernels, or where ENGINE_CACHE_DIR says.",
    )


def _run(options: argparse.Namespace) -> int:
    del options
    from tqdm import tqdm

    from engine.kernels import compiling
    from engine.lab.kernels import compiling as lab_compiling

    tasks = [*compiling.tasks(), *lab_compiling.tasks()]
    with tqdm(tasks, desc="Compiling kernels", unit="kernel", file=sys.stderr) as progress:
        for task in progress:
            progress.set_postfix_str(task.name)
            task.run()
    return 0
