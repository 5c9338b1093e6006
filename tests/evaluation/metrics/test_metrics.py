"""Metrics of other packages stand beside ours, and what was scored without one is scored again."""

import pytest
from pate.pipelines.compare import compare

from pate.errors import ConfigError
from pate.evaluation.metrics import metrics
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
