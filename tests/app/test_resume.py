"""The commands that resume are those a shell and Hydra read back as they were meant."""

import shlex
from pathlib import Path

import pytest
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from pate.app.resume import job_alone, same_command


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
    "folder", ["sweeps/3", "my sweeps/a=1,b=[2]/it's", "back\\slash", "ünï/(x)", "a'b\\'c", 'quo"te']
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
