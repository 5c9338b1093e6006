"""Memory is seen where it is held: here, and in the processes started here."""

import subprocess
import sys
import time

import numpy as np

from pate.workspace.memory import peak_memory, resident

MIB = 1 << 20


def test_what_was_held_for_a_moment_is_remembered():
    with peak_memory() as peak:
        before = peak()
        held = np.ones(200 * MIB, np.uint8)
        time.sleep(0.2)
        del held
        time.sleep(0.1)
        assert resident() < before + 100 * MIB  # it is gone
        assert 190 * MIB < peak() - before < 400 * MIB


def test_worker_processes_count():
    program = f"import sys; held = bytearray({300 * MIB}); print('ready', flush=True); sys.stdin.read()"
    with peak_memory() as peak:
        before = peak()
        with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1) as worker:
            worker.stdout.readline()
            time.sleep(0.2)
            worker.stdin.close()
        assert peak() - before > 290 * MIB
