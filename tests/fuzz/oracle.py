"""What every loader owes to every file: an object or a clear refusal, in bounded memory and time, and no trace outside.

A child process does the reading, under a limit on its address space, so that a greedy allocation, a hang and a crash
are seen for what they are. It says what happened line by line; this side starts it again behind whatever killed it.
"""

import json
import logging
import os
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).parent
MEMORY = 1 << 30  # beyond what the libraries take: an array of 256 MiB may be unpacked, and converted
SECONDS = 10  # of computing
_NAMED = ("input", "dataset.", "partition.")
_SEALED = ("student.safetensors", "student.json", "thing.npz", "thing.json", "thing.safetensors")


def hunt(plan, seed, keep):
    """What became of so many hostile files for each loader ({name: files}); those that failed are kept in a folder."""
    found = {name: {"tried": 0, "read": 0, "refused": 0, "failed": 0, "why": []} for name in plan}
    left = {name: [0, files] for name, files in plan.items()}
    while left:
        _child(left, seed, keep, found)
    return found


def _child(left, seed, keep, found):
    """Follow a child to its end; `left` is then what remains to be done behind the file that killed it."""
    command = [sys.executable, "-m", "tests.fuzz.oracle", json.dumps(left), str(seed), str(keep)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "PYTHONPATH": str(HERE.parent.parent)}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True, bufsize=1)
    patience, begun = 600, False
    while select.select([child.stdout], [], [], patience)[0] and (line := child.stdout.readline()):
        name, number, outcome, why = json.loads(line)
        patience, begun = 60 * SECONDS, True
        _count(found[name], number, outcome, why)
        _done(left, name, number)
    child.kill()
    code = child.wait()
    if left and not begun and code != -9:
        raise RuntimeError(f"the child did not start: {code}")
    if left:
        name, (number, _) = next(iter(left.items()))
        _count(found[name], number, "failed", "a hang" if code == -9 else f"exit code {code}")
        _done(left, name, number)


def _count(row, number, outcome, why):
    row["tried"] += 1
    row[outcome] += 1
    if outcome == "failed":
        row["why"].append(f"file {number}: {why}")


def _done(left, name, number):
    left[name][0] = number + 1
    if left[name][0] >= left[name][1]:
        del left[name]


def main(left, seed, keep):
    """In the child: every sample is read once, then memory is limited, then hostile ones are."""
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    from tests.fuzz.targets import targets

    chosen = [target for target in targets() if target.name in left]
    with tempfile.TemporaryDirectory() as base:
        base = Path(base)
        outside = base / "outside"
        outside.mkdir(mode=0o700)
        (outside / "canary").write_bytes(b"CANARY")
        os.chdir(outside)
        os.environ["HOME"] = os.environ["TMPDIR"] = str(outside)
        os.environ["MPLCONFIGDIR"] = str(base / "fonts")  # matplotlib's list of fonts, whichever file first has a plot
        tempfile.tempdir = None
        for target in chosen:
            (base / target.name).mkdir(mode=0o700)
            target.make(base / target.name)
            target.load(shutil.copytree(base / target.name, base / "valid"))
            shutil.rmtree(base / "valid")
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        for late in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(late, _late)
        for name in left:
            target = next(one for one in chosen if one.name == name)
            for number in range(*left[name]):
                folder = base / "hostile"
                change(target, base / name, folder, outside / "canary", random.Random(f"{seed}:{name}:{number}"))
                outcome, why = judge(target, folder, outside)
                if outcome == "failed":
                    _keep(folder, Path(keep) / f"{name.replace(' ', '-')}-{seed}-{number}")
                print(json.dumps([name, number, outcome, why]), flush=True)
                shutil.rmtree(folder)


def _keep(folder, kept):
    """What made a loader fail, as far as it is files."""
    for path in folder.rglob("*"):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            (kept / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept / path.relative_to(folder))


def change(target, sample, folder, canary, rng):
    """A copy of the sample with one of its files made hostile, its hash in the manifest mended most of the time."""
    import hashlib

    from tests.fuzz.mutators import mutated, special

    shutil.copytree(sample, folder, symlinks=True)
    victims = sorted(path for pattern in target.victims for path in folder.glob(pattern))
    others = [path.read_bytes()[:10_000] for path in victims]
    path = rng.choice(victims)
    if rng.random() < 0.03:
        special(rng, path, canary)
    else:
        path.write_bytes(mutated(rng, path.name, path.read_bytes(), others))
    manifest = path.with_name("manifest.json")
    if path.name in _SEALED and manifest.is_file() and path.is_file() and not path.is_symlink() and rng.random() < 0.9:
        told = json.loads(manifest.read_text())
        told["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest.write_text(json.dumps(told))
    if re.fullmatch(r"\d{6}-[0-9a-f]{16}\.npy", path.name) and path.is_file() and not path.is_symlink():
        _rename_piece(path, rng)


def _rename_piece(path, rng):
    """A piece is named after its content."""
    import hashlib

    import numpy as np

    try:
        content = np.load(path, allow_pickle=False).tobytes()
    except Exception:
        content = path.read_bytes()[128:]
    if rng.random() < 0.8:
        path.rename(path.with_name(f"{path.name[:6]}-{hashlib.sha256(content).hexdigest()[:16]}.npy"))


def judge(target, folder, outside):
    from pate.errors import PateError

    before, began = _seen(outside), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(12 * SECONDS)  # for one that waits and does not compute, on a machine that is busy
    try:
        target.load(folder)
        outcome, why = "read", ""
    except PateError as error:
        told = "".join(traceback.format_exception(error))
        outcome, why = "refused", str(error)
        if "CANARY" in told or "987654" in told:
            outcome, why = "failed", "the message shows a value"
        elif "\n" in why or len(why) > 1500 or not any(word in why for word in (str(folder), *_NAMED)):
            outcome, why = "failed", f"the message is not one line that names a file or a setting: {why[:300]}"
    except BaseException as error:
        told = "".join(traceback.format_exception(error))
        outcome, why = "failed", told[-1500:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    if _seen(outside) != before:
        outcome, why = "failed", "something was written outside the workspace"
    if time.process_time() - began > SECONDS:
        outcome, why = "failed", "it took too long"
    return outcome, why


def _seen(outside):
    return {str(path): path.lstat().st_mtime_ns for path in outside.rglob("*")}


def _late(*_):
    raise TimeoutError("it took too long")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
