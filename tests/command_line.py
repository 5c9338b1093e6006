"""The command line in a process of its own: forked from one that has imported everything, so that it costs its run.

What hangs on how an interpreter starts or ends (imports, signals, pipes, encodings) starts `MAIN` instead.
"""

import atexit
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

MAIN = [sys.executable, "-c", "from pate.app.cli import main; main()"]
IMPORTED = [
    "pate.app.cli", "pate.pipelines", "pate.data.digits", "pate.dpsgd.models", "pate.accounting.sampled_gaussian",
    "torch", "sympy", "sklearn.datasets", "sklearn.linear_model", "opendp.prelude", "matplotlib.pyplot",
]  # fmt: skip

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload([*IMPORTED, __name__])


def command_line(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    prepare: Callable[[], None] | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """What `pate ARGUMENTS` says in this folder, and its exit code; with an environment, in a new interpreter."""
    if env is not None:
        return subprocess.run([*MAIN, *arguments], cwd=cwd, env=env, timeout=timeout, capture_output=True, text=True)
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder) / name for name in ("stdout", "stderr")]
        child = _server.Process(target=_become, args=(arguments, cwd, dict(os.environ), said, prepare))
        child.start()
        child.join(timeout)
        if child.exitcode is None:
            child.kill()
            raise subprocess.TimeoutExpired(["pate", *arguments], timeout, *(file.read_text() for file in said))
        return subprocess.CompletedProcess(["pate", *arguments], child.exitcode, *(file.read_text() for file in said))


def dies_after_checkpoints(count: int) -> None:
    """To `prepare` with: SIGKILL right after so many were saved, of a training that saves after every step."""
    from pate.dpsgd import descent
    from pate.learning.checkpoint import Checkpoint

    descent._SAVE_EVERY = -1
    real, saved = Checkpoint.save, itertools.count(1)

    def save(self: Checkpoint, arrays: dict) -> None:
        real(self, arrays)
        if next(saved) == count:
            os.kill(os.getpid(), signal.SIGKILL)

    Checkpoint.save = save


def _become(
    arguments: tuple[str, ...],
    cwd: Path,
    environment: dict[str, str],
    said: list[Path],
    prepare: Callable[[], None] | None,
) -> None:
    from pate.app.cli import main

    for number, file in enumerate(said, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = ["pate", *arguments]
    sys.path.insert(0, "")
    if prepare:
        prepare()
    try:
        main()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()


def dies_after_pieces(count: int) -> None:
    """To `prepare` with: SIGKILL right after so many pieces of a stage were saved."""
    from pate.workspace.pieces import Pieces

    real, saved = Pieces.save, itertools.count(1)

    def save(self: Pieces, index: int, array: object) -> None:
        real(self, index, array)  # type: ignore[arg-type]
        if next(saved) == count:
            os.kill(os.getpid(), signal.SIGKILL)

    Pieces.save = save
