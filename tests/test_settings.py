"""A section of the settings checks itself when it is built, and cannot be changed afterwards."""

import math
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from pate import settings
from pate.errors import ConfigError
from pate.evaluation.metrics import Question
from pate.settings import (
    AccountConfig,
    BudgetConfig,
    CompareConfig,
    CurveConfig,
    DecisionConfig,
    LabelsConfig,
    NoiseConfig,
    QualityConfig,
    ReportConfig,
    SanitiseConfig,
    SweepConfig,
    VotesConfig,
)

SECTIONS = [one for name, one in vars(settings).items() if name.endswith("Config") and is_dataclass(one)]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_is_frozen_and_its_defaults_are_in_order(section):
    made = section()
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(made)[0].name, None)


@pytest.mark.parametrize(
    ("section", "wrong", "message"),
    [
        (LabelsConfig, {"queries": 0}, "queries must be at least 1, got 0"),
        (LabelsConfig, {"wrong": 1.0}, "wrong must be a share of at least 0 and below 1, got 1.0"),
        (
            LabelsConfig,
            {"selection": "active", "queries": 3, "rounds": 4},
            "rounds must lie between 1 and labels.queries=3",
        ),
        (AccountConfig, {"target_epsilon": -1.0}, "target_epsilon must be a positive number, got -1.0"),
        (AccountConfig, {"target_epsilon": math.nan}, "target_epsilon must be a positive number, got nan"),
        (QualityConfig, {"gammas": []}, "gammas must lie between 1e-5 and 100, at least one, got []"),
        (QualityConfig, {"gammas": [0.1, 1e-6]}, "gammas must lie between 1e-5 and 100"),
        (SanitiseConfig, {"order": 1.0}, "order must be finite and greater than 1, got 1.0"),
        (SanitiseConfig, {"beta": 0.5}, "beta must be positive and below about 1 / (2 order)"),
        (SanitiseConfig, {"sigma_ss": 0.0}, "sigma_ss must be a positive number, got 0.0"),
        (NoiseConfig, {"seed": -1}, "seed must lie between 0 and 2^32 - 1, got -1"),
        (BudgetConfig, {"epsilon": math.inf}, "epsilon must be a positive number, got inf"),
        (BudgetConfig, {"delta": 1.0}, "delta must lie strictly between 0 and 1, got 1"),
        (BudgetConfig, {"account": " "}, "account must be a name of at most 200 printable characters"),
        (BudgetConfig, {"account": "a" * 201}, "account must be a name of at most 200 printable characters"),
        (SweepConfig, {"epsilon": 0.0}, "epsilon must be a positive number, got 0.0"),
        (CurveConfig, {"epsilons": []}, "epsilons must be positive numbers, at least one and at most 30, got []"),
        (CurveConfig, {"epsilons": [1.0, 0.0]}, "epsilons must be positive numbers"),
        (CurveConfig, {"epsilons": [math.nan]}, "epsilons must be positive numbers"),
        (CurveConfig, {"epsilons": [math.inf]}, "epsilons must be positive numbers"),
        (CurveConfig, {"epsilons": [1.0 + n for n in range(31)]}, "epsilons must be positive numbers"),
        (CurveConfig, {"seeds": []}, "seeds must be different numbers, at least one, got []"),
        (CurveConfig, {"seeds": [1, 1]}, "seeds must be different numbers, at least one, got [1, 1]"),
        (CurveConfig, {"seeds": [-1]}, "seeds must lie between 0 and 2^32 - 1, got -1"),
        (CompareConfig, {"false_positives": 1.0}, "false_positives must lie strictly between 0 and 1, got 1"),
        (
            DecisionConfig,
            {"positive": "a", "threshold": 0.0},
            "threshold must lie strictly between 0 and 1, or be one of",
        ),
        (
            DecisionConfig,
            {"positive": "a", "threshold": True},
            "threshold must lie strictly between 0 and 1, or be one",
        ),
        (DecisionConfig, {"positive": "a"}, "positive is one of two"),
        (CompareConfig, {"metric": "recall_at"}, "positive must name the class that compare.metric=recall_at is about"),
    ],
)
def test_what_is_wrong_with_a_field_begins_with_its_name(section, wrong, message):
    with pytest.raises(ValueError) as refused:
        section(**wrong)
    assert str(refused.value).startswith(message)
    assert str(refused.value).split()[0] in {one.name for one in fields(section)}


@pytest.mark.parametrize(
    ("section", "wrong", "message"),
    [
        (
            LabelsConfig,
            {"selection": "medoid"},
            "labels.selection=medoid: expected one of random, first, medoids, active",
        ),
        (ReportConfig, {"audience": "all"}, "report.audience=all: expected one of owner, public"),
        (BudgetConfig, {"mode": "loose"}, "budget.mode=loose: expected one of research, strict"),
        (BudgetConfig, {"mode": "strict"}, "budget=strict needs budget.epsilon: all that may ever be released"),
    ],
)
def test_what_is_no_matter_of_one_field_is_said_in_full(section, wrong, message):
    with pytest.raises(ConfigError) as refused:
        section(**wrong)
    assert str(refused.value).startswith(message)


def test_the_word_that_was_probably_meant_is_named():
    with pytest.raises(ConfigError, match=r"; did you mean medoids\?$"):
        LabelsConfig(selection="medoid")


def test_a_curve_goes_over_each_epsilon_once_in_order():
    assert CurveConfig(epsilons=[4, 0.5, 4.0, 1]).epsilons == [0.5, 1.0, 4.0]
    assert CurveConfig().epsilons == [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8]


def test_rounds_matter_where_there_are_any():
    assert LabelsConfig(queries=3, rounds=5).rounds == 5


def test_files_are_looked_for_when_they_are_needed(tmp_path):
    there = tmp_path / "votes.npz"
    for section, name in ((VotesConfig, "votes.path"), (LabelsConfig, "labels.path")):
        section().require()
        wanted = section(path=str(there))
        with pytest.raises(ConfigError, match=rf"^{name}=.*votes.npz: no such file$"):
            wanted.require()
    there.touch()
    wanted.require()


def test_a_metric_is_one_there_is_and_a_class_too():
    with pytest.raises(ConfigError, match="did you mean balanced_accuracy"):
        CompareConfig(metric="balanced_acuracy")
    chosen = CompareConfig(metric="recall_at", positive="ill", false_positives=0.1)
    assert chosen.asked(["well", "ill"]) == Question(1, 0.1)
    assert chosen.more == " (ill, at 10%)"
    with pytest.raises(ConfigError, match=r"compare\.positive=ill: expected one of well, sick"):
        chosen.asked(["well", "sick"])
    assert CompareConfig(metric="macro_f1", positive="ill").more == ""
    assert CompareConfig().asked(["well"]) == Question()
