"""Memory is seen where it is held: here, and in the processes started here."""

import subprocess
import sys
import time

import numpy as np

from pate.workspace.memory import peak_memory, resident

MIB = 1 << 20


def wait_until(condition):
    """A thread looks every now and then: on a busy machine later."""
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_what_was_held_for_a_moment_is_remembered():
    with peak_memory() as peak:
        before = peak()
        held = np.ones(200 * MIB, np.uint8)
        wait_until(lambda: peak() - before > 190 * MIB)
        del held
        wait_until(lambda: resident() < before + 100 * MIB)  # it is gone
        assert 190 * MIB < peak() - before < 400 * MIB


def test_worker_processes_count():
    program = f"import sys; held = bytearray({300 * MIB}); print('ready', flush=True); sys.stdin.read()"
    with peak_memory() as peak:
        before = peak()
        with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1) as worker:
            worker.stdout.readline()
            wait_until(lambda: peak() - before > 290 * MIB)
            worker.stdin.close()
