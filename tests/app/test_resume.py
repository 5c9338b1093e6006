"""The commands that resume are those a shell and Hydra read back as they were meant."""

import shlex
from pathlib import Path

import pytest
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import OmegaConf

from pate.app.resume import job_alone, same_command, sweep_of


def test_what_has_begun_is_not_forced_again():
    assert same_command(["a=1", "force=[data,labels]"], {"data"}) == "pate a=1 'force=[labels]'"
    assert same_command(["force=[labels]", "a=${b}"], {"labels"}) == "pate 'a=${b}'"


@pytest.fixture
def sweep(monkeypatch):
    def of(overrides, folder, **job):
        sources = [
            {"provider": "main", "path": "pate.conf", "schema": "pkg"},
            {"provider": "command-line", "path": "/my configs", "schema": "file"},
        ]
        runtime = {"cwd": "/start", "config_sources": sources}
        facts = {"runtime": runtime, "overrides": {"task": overrides}}
        config = OmegaConf.create(facts | {"job": {"chdir": None, "config_name": "config"} | job})
        monkeypatch.setattr(HydraConfig, "get", lambda: config)
        return shlex.split(job_alone(Path(folder), set()))

    return of


@pytest.mark.parametrize(
    "folder", ["sweeps/3", "my sweeps/a=1,b=[2]/it's", "back\\slash", "ünï/(x)", "x²", "a'b\\'c", 'quo"te']
)
def test_a_jobs_folder_comes_back_from_the_shell_and_from_hydra(sweep, folder):
    command = sweep(["+a.b='x y'", "noise.seed=${seed}"], f"/start/{folder}")
    assert command[:5] == ["pate", "--config-dir", "/my configs", "+a.b='x y'", "noise.seed=${seed}"]
    (override,) = OverridesParser.create().parse_overrides(command[5:])
    assert override.key_or_group == "hydra.run.dir"
    assert getattr(override.value(), "text", override.value()) == folder


def test_a_job_elsewhere_or_with_a_folder_to_work_in_is_named_so(sweep):
    assert sweep([], "/other/3", config_name="mine")[3:] == ["--config-name", "mine", "hydra.run.dir=/other/3"]
    assert sweep([], "/start/3", chdir=True)[-1] == "hydra.job.chdir=true"


def test_a_job_knows_its_sweep_also_when_it_is_resumed_alone(monkeypatch, tmp_path):
    def told(mode, folder):
        config = {"mode": mode, "runtime": {"cwd": str(tmp_path)}, "sweep": {"dir": "all"}}
        monkeypatch.setattr(HydraConfig, "get", lambda: OmegaConf.create(config))
        return sweep_of(folder)

    assert told(RunMode.MULTIRUN, tmp_path / "all" / "a=1" / "b=2") == tmp_path / "all"
    assert told(RunMode.RUN, tmp_path / "all" / "3") is None
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "multirun.yaml").touch()
    assert told(RunMode.RUN, tmp_path / "all" / "a=1" / "b=2") == tmp_path / "all"
    assert told(RunMode.RUN, tmp_path / "other" / "3") is None
