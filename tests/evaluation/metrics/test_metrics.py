"""Metrics of other packages stand beside ours, and what was scored without one is scored again."""

import numpy as np
import pytest
from pate.pipelines.compare import compare

from pate.errors import ConfigError
from pate.evaluation.metrics import Question, metrics, written
from tests.plugged import installed

HALF = "from pate.evaluation.metrics import metric\n@metric('half')\ndef {name}(belief, truth): return {value}\n"


@pytest.fixture
def brings(tmp_path):
    """What there is where a package brings this metric."""

    def found(name, text, ask):
        metrics.cache_clear()
        with installed(
            tmp_path / f"site{len(text)}", {"toy_metric": text}, {"pate.metrics": [f"{name} = toy_metric:{name}"]}
        ):
            return ask()

    yield found
    metrics.cache_clear()


def test_none_takes_the_name_of_one_of_ours(brings):
    """It would stand in every table as the accuracy, beside the standard error of the true one."""
    with pytest.raises(ConfigError, match="accuracy: there is a metric accuracy already"):
        brings("accuracy", HALF.format(name="accuracy", value=0.5), metrics)


def test_a_bare_function_is_told_what_it_lacks(brings):
    with pytest.raises(ConfigError, match="bare is no metric: declare the function with @metric"):
        brings("bare", "def bare(belief, truth): return 0.5", metrics)


def test_one_more_metric_or_an_edited_one_scores_again(brings):
    def key():
        return str(compare.derived(None))

    texts = [HALF.format(name="half", value=value) for value in (0.5, 0.25)]
    assert len({key(), *(brings("half", text, key) for text in texts)}) == 3


@pytest.mark.parametrize("name", [name for name, one in metrics().items() if one.takes_counts])
def test_in_a_resample_it_is_what_it_is_of_the_inputs_drawn(name):
    """By how often each input was drawn, as by drawing them: also where a class is not drawn at all."""
    rng = np.random.default_rng(0)
    truth = np.array([0] * 10 + [1] * 9 + [2])
    belief, asked = rng.dirichlet(np.ones(3), 20).round(1), Question(1, 0.2)
    counts = np.stack([np.bincount(rng.integers(0, 20, 20), minlength=20) for _ in range(30)], axis=1)
    assert (counts[-1] == 0).any()
    found = metrics()[name].resampled(belief, truth, counts.astype(np.float32), asked)
    for value, drawn in zip(found, counts.T, strict=True):
        rows = np.repeat(np.arange(20), drawn)
        expected = metrics()[name](belief[rows], truth[rows], asked)
        assert np.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-6)


def test_a_metric_of_another_package_is_looked_at_in_resamples_too(brings):
    """It knows of no counts: the inputs drawn are handed to it."""
    one = brings("first", HALF.format(name="first", value="(truth == 0).mean()"), metrics)["first"]
    counts = np.array([[2, 0], [0, 1], [1, 2]], np.float32)
    found = one.resampled(np.eye(2)[[0, 1, 1]], np.array([0, 1, 1]), counts, Question())
    assert found.tolist() == pytest.approx([2 / 3, 0])


def test_shares_are_written_as_percentages_and_losses_are_not():
    assert written("accuracy", 0.5, 0.01) == "50.0% ± 1.0%"
    assert written("log_loss", 0.5, 0.01) == "0.500 ± 0.010"
    assert written("brier", None) == "-"
    assert written("of_another_package", 0.25) == "25.0%"
