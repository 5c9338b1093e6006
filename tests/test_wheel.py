"""The wheel carries everything: conf/, docs/ and pipelines/ inside pate, and a command that works from any folder."""

import os
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


def test_the_wheel_holds_one_top_level_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"pate"}
    assert "pate/conf/config.yaml" in names
    assert "pate/pipelines/labels.py" in names
    inside = {name for name in names if name.startswith("pate/conf/") and name.endswith(".yaml")}
    assert len(inside) == len(list((ROOT / "conf").rglob("*.yaml")))


def test_the_wheel_holds_every_page_and_not_what_makes_them(wheel):
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("pate/docs/")}
    pages = {f"pate/docs/{page.relative_to(ROOT / 'docs')}" for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= inside
    assert {Path(name).suffix for name in inside} == {".json", ".md", ".png", ".svg"}


def test_an_installed_wheel_runs_from_another_folder(wheel, tmp_path):
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--quiet", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (tmp_path / "elsewhere").mkdir()
    script = (
        "import pate, sys; assert sys.argv.pop() in pate.__file__, pate.__file__; from pate.app.cli import main; main()"
    )
    # -S -E would drop the dependencies too: the wheel's folder simply comes first
    done = subprocess.run(
        [sys.executable, "-c", script, "stage=labels", "teachers=ridge", "n_jobs=1", str(site)],
        cwd=tmp_path / "elsewhere",
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "elsewhere" / "workspace" / "release" / "labels").is_dir()
    told = subprocess.run(
        [sys.executable, "-m", "pate.app", "docs"],
        cwd=tmp_path / "elsewhere",
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert told.stdout.splitlines()[0] == str(site / "pate" / "docs"), told.stderr
