"""A stage that is asked for without what it needs is refused by name, before anything is made."""

import pytest

from pate.errors import ConfigError


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["stage=labels", "dataset.public=0", "dpsgd.epsilon=1"], "stage=labels needs public inputs"),
        (["stage=queries", "labels.selection=active"], "stage=queries draws nothing"),
        (["stage=dpsgd_publishable", "dpsgd.epsilon=1"], "is part of runs with two epsilons"),
    ],
)
def test_each_need_has_its_words(settings, tmp_path, overrides, words):
    with pytest.raises(ConfigError, match=words):
        settings(*overrides)
    assert not (tmp_path / "workspace").exists()
