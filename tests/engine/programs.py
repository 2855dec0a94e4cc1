"""The engine's commands in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, typed: str | bytes = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "engine", *arguments],
        cwd=ROOT, input=typed.encode() if isinstance(typed, str) else typed, capture_output=True,
        check=False, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
