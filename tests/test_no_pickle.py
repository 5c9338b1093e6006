"""No pickle is written, and none is read: opening one can run anybody's code."""

import ast
import os
import pickle
import pickletools
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [*ROOT.glob("pate/**/*.py"), *ROOT.glob("pipelines/**/*.py")]
MODULES = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "joblib.numpy_pickle", "copyreg"}
CALLS = {
    "torch.load",
    "torch.save",
    "joblib.dump",
    "joblib.load",
    "pickle.load",
    "pd.read_pickle",
    "pandas.read_pickle",
}


def is_pickle(content: bytes) -> bool:
    """A whole pickle, or the beginning of one with raw arrays in between, which is what joblib writes."""
    if content[:1] == b"\x80" and content[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        return True
    try:
        return len(list(pickletools.genops(content))) > 2
    except Exception:
        return False


def dotted(node: ast.AST) -> str:
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def faults(text: str) -> list[str]:
    """What of a module could read or write a pickle."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found += sorted({node.module} & MODULES | names & (MODULES | CALLS))
        elif isinstance(node, ast.Call):
            named, options = dotted(node.func), {one.arg: one.value for one in node.keywords}
            found += [named] * (named in CALLS)
            allowed = options.get("allow_pickle")
            if isinstance(allowed, ast.Constant) and allowed.value is not False:
                found.append("allow_pickle")
            if named in ("np.load", "np.save", "numpy.load", "numpy.save") and "allow_pickle" not in options:
                found.append(f"{named} without allow_pickle=False")
            if named.rpartition(".")[2] == "Parallel" and "max_nbytes" not in options:
                found.append("Parallel without max_nbytes=None: it writes large arrays as pickles")
    return found


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_module_touches_pickles(file):
    assert faults(file.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from joblib import dump",
        "from joblib import numpy_pickle",
        "torch.save(model, file)",
        "np.load(file)",
        "np.load(file, allow_pickle=True)",
        "np.save(file, array)",
        "Parallel(n_jobs=2)(work)",
    ],
)
def test_the_search_finds_them(text):
    assert faults(text)


class Watch:
    """Looks into folders again and again, and remembers what has ever been a pickle there."""

    def __init__(self, *folders: Path) -> None:
        self.folders, self.pickles, self.seen, self._stop = folders, set(), set(), threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        last = False
        while not last:
            last = self._stop.wait(0.01)  # and once more at the end
            for folder in self.folders:
                for place, _, names in os.walk(folder):  # passes over what goes while it looks
                    for name in names:
                        self._judge(Path(place, name))

    def _judge(self, file: Path) -> None:
        try:
            if file.is_file():
                self.seen.add(file.suffix)
                if is_pickle(file.read_bytes()[: 1 << 16]):
                    self.pickles.add(str(file))
        except OSError:
            pass  # gone again


def watched(tmp_path, code: str) -> Watch:
    """Run a program whose temporary files all come to a watched folder."""
    scratch = tmp_path / "temporary"
    scratch.mkdir()
    places = dict.fromkeys(("TMPDIR", "JOBLIB_TEMP_FOLDER", "HOME"), str(scratch))
    with Watch(tmp_path) as watch:
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | places, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, done.stderr
    return watch


PIPELINE = """
import pate
found = pate.run([
    "dataset.private=900", "dataset.public=700", "teachers=graph", "teachers.count=50", "student=supervised",
    "labels.queries=20", "dpsgd.epochs=1", "n_jobs=2", "hydra.run.dir=run",
])
assert found["methods"]
"""
JOBLIB = """
import numpy as np
from joblib import Parallel, delayed
Parallel(n_jobs=2)(delayed(np.sum)(np.ones((300, 1000))) for _ in range(3))
"""


@pytest.mark.slow
def test_a_whole_run_leaves_no_pickle_anywhere(tmp_path):
    """Its graph of 700 x 700 numbers is large enough for joblib to have written it."""
    watch = watched(tmp_path, PIPELINE)
    assert watch.pickles == set()
    assert {".npy", ".npz", ".json", ".safetensors"} <= watch.seen


def test_the_watch_sees_what_joblib_would_write(tmp_path):
    assert watched(tmp_path, JOBLIB).pickles


def test_what_is_no_pickle(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(9))
    assert not is_pickle((tmp_path / "a.npy").read_bytes())
    assert not is_pickle(b'{"a": 1}')
    for protocol in range(6):
        assert is_pickle(pickle.dumps([1, "a", {}], protocol))
