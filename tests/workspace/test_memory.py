"""Memory is seen where it is held: here, and in the processes started here."""

import subprocess
import sys
import time
from pathlib import Path

from pate.workspace.memory import peak_memory

ROOT = Path(__file__).parents[2]
MIB = 1 << 20


def wait_until(condition):
    """A thread looks every now and then: on a busy machine later."""
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


MOMENT = """
import numpy as np

from pate.workspace.memory import peak_memory, resident
from tests.workspace.test_memory import MIB, wait_until

with peak_memory() as peak:
    before = peak()
    held = np.ones(200 * MIB, np.uint8)
    wait_until(lambda: peak() - before > 190 * MIB)
    del held
    wait_until(lambda: resident() < before + 100 * MIB)  # it is gone
    assert 190 * MIB < peak() - before < 400 * MIB, peak() - before
"""


def test_what_was_held_for_a_moment_is_remembered():
    """In a process of its own: whatever else this one has started would count too."""
    done = subprocess.run([sys.executable, "-c", MOMENT], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_worker_processes_count():
    program = f"import sys; held = bytearray({300 * MIB}); print('ready', flush=True); sys.stdin.read()"
    with peak_memory() as peak:
        before = peak()
        with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1) as worker:
            worker.stdout.readline()
            wait_until(lambda: peak() - before > 290 * MIB)
            worker.stdin.close()
