"""Faults on purpose: kills, crowds of spenders, full disks, damaged ledgers. `python -m tests.faults` runs them all."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # a process of one thread can be forked
