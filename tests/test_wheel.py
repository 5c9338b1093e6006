"""The wheel carries everything: conf/, docs/ and pipelines/ inside pate, and a command that works from any folder."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in files.stdout.split():  # a clean copy: nothing of an earlier build
        if name.startswith(("pate/", "conf/", "docs/", "pipelines/")) or name in (
            "pyproject.toml",
            "README.md",
            "LICENSE",
        ):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


CARRIED = {"pate": ("*.py", "py.typed", "report/web/*"), "conf": ("*.py", "*.yaml"), "pipelines": ("*.py",)}
CARRIED |= {"docs": ("*.md", "*.svg", "*.png", "*.json")}  # pages, and not what makes them


def in_the_tree() -> set[str]:
    """What the wheel has to hold, by its name there: all of these folders that git would keep."""
    told = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *CARRIED], cwd=ROOT, capture_output=True)
    kept = {Path(name) for name in told.stdout.decode().split() if (ROOT / name).is_file()}
    ours = {one for one in kept if any(one.match(form) for form in CARRIED[one.parts[0]])}
    return {str(one if one.parts[0] == "pate" else "pate" / one) for one in ours}


def test_the_wheel_holds_one_package_with_everything_of_the_tree(wheel):
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    there = {name for name in in_the_tree() if "docs/generate/" not in name}
    assert {"pate/consensus/clusters.py", "pate/conf/config.yaml", "pate/pipelines/labels.py"} <= there
    assert {"pate/docs/tutorial.md", "pate/report/web/page.css", "pate/py.typed"} <= there
    assert inside == there


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs code where the wheel is installed and this checkout is not: in a process that reads no .pth file, so that
    the finder of an editable installation, which would supply whatever the wheel lacks, is not there."""
    place = tmp_path_factory.mktemp("installed")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--quiet", "--target", str(place), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)

    def run(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess:
        others = [path for path in sys.path if Path(path).is_dir() and Path(path).resolve() != ROOT]
        start = f"import sys; sys.path[:] = {[str(place), *others]!r}\n"
        command = [sys.executable, "-I", "-S", "-c", start + code, *arguments]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True)

    run.place = place
    return run


EVERY_MODULE = """
import importlib, json, pkgutil
import pate

names = ["pate", *(one.name for one in pkgutil.walk_packages(pate.__path__, "pate.") if "__main__" not in one.name)]
print(json.dumps({name: importlib.import_module(name).__file__ for name in names}))
"""


def test_every_module_of_an_installed_wheel_can_be_imported_without_the_checkout(installed, tmp_path):
    done = installed(EVERY_MODULE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    places = json.loads(done.stdout)
    assert {"pate.consensus.clusters", "pate.pipelines.consensus", "pate.conf"} <= places.keys()
    assert {Path(file).is_relative_to(installed.place) for file in places.values()} == {True}


def test_an_installed_wheel_runs_from_another_folder(installed, tmp_path):
    command = "from pate.app.cli import main; main()"
    done = installed(command, "stage=labels", "teachers=ridge", "n_jobs=1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "workspace" / "release" / "labels").is_dir()
    told = installed("import runpy; runpy.run_module('pate.app', run_name='__main__')", "docs", cwd=tmp_path)
    assert told.stdout.splitlines()[0] == str(installed.place / "pate" / "docs"), told.stderr
