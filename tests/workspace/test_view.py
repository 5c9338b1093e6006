"""A stage sees the settings it declares, and no other."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from pate.errors import GraphError, UndeclaredSetting
from pate.workspace.stage import Stage
from pate.workspace.view import view


@dataclass(frozen=True)
class Section:
    asked: int = 3
    path: str = "there"


SETTINGS = SimpleNamespace(
    labels=Section(), noise=Section(), delta=1e-5, seed=4, n_jobs=2, device="cpu", workspace="w", stage="all"
)


def seen(*config, **sees):
    return view(SETTINGS, Stage("answers", print, config=config, sees=sees))


def test_a_declared_part_is_the_thing_itself():
    assert seen("labels").labels is SETTINGS.labels
    assert seen("seed").seed == 4
    assert seen(delta="prices, and draws nothing").delta == 1e-5


def test_a_dotted_name_gives_that_field_alone():
    settings = seen("labels.asked")
    assert settings.labels.asked == 3
    with pytest.raises(UndeclaredSetting, match=r"stage answers reads the setting labels\.path.*config=\["):
        _ = settings.labels.path


def test_what_is_not_declared_is_an_error_that_names_stage_setting_and_remedy():
    with pytest.raises(UndeclaredSetting) as told:
        _ = seen("seed").delta
    assert str(told.value).startswith("stage answers reads the setting delta, which it does not declare")
    assert 'config=["delta"]' in str(told.value)
    assert "\n" not in str(told.value)
    assert isinstance(told.value, GraphError | AttributeError)


def test_how_fast_and_where_may_be_looked_at_by_every_stage():
    settings = seen()
    assert (settings.n_jobs, settings.device, settings.workspace) == (2, "cpu", "w")


def test_a_setting_that_does_not_exist_is_no_matter_of_declaring_it():
    with pytest.raises(AttributeError, match="no attribute 'nothing'") as told:
        _ = seen("seed").nothing
    assert not isinstance(told.value, UndeclaredSetting)


def test_a_view_cannot_be_written_to():
    with pytest.raises(AttributeError):
        seen("seed").seed = 5
