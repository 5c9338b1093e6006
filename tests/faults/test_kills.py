"""Killed at any instant, a run may waste budget but hides none, and the same command finishes it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def campaign(kills: int, seed: int, folder: Path) -> str:
    command = [sys.executable, "-m", "tests.faults", "--kills", f"{kills}", "--seed", f"{seed}", "--folder", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "torch was imported" not in done.stdout
    return done.stdout


@pytest.mark.slow
def test_twenty_kills(tmp_path):
    assert "survived" in campaign(20, 0, tmp_path)


@pytest.mark.slow
def test_two_hundred_kills(tmp_path):
    assert "survived" in campaign(200, 1, tmp_path)
