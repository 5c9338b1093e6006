"""What others add is found by name, loaded when asked for, and never taken for one of our own."""

from typing import ClassVar

import pytest

from pate.errors import ConfigError
from pate.models.model import Model
from pate.workspace.plugins import Kinds, plugin, plugins
from tests.plugged import installed

GROUP = "pate.tests"


def test_nothing_is_loaded_before_it_is_asked_for(tmp_path):
    with installed(tmp_path / "site", {"quiet": "raise RuntimeError('loaded')"}, {GROUP: ["one = quiet:One"]}):
        assert list(plugins(GROUP)) == ["one"]
        with pytest.raises(ConfigError, match=r"pate.tests: one \(quiet:One\) cannot be loaded: loaded"):
            plugin(GROUP, "one")
    assert plugin(GROUP, "one") is None


def test_two_packages_with_one_name_are_refused(tmp_path):
    with (
        installed(tmp_path / "a", {"first": "One = 1"}, {GROUP: ["one = first:One"]}),
        installed(tmp_path / "b", {"second": "One = 2"}, {GROUP: ["one = second:One"]}),
        pytest.raises(ConfigError, match="both first:One and second:One are called one: uninstall one"),
    ):
        plugins(GROUP)


def test_a_kind_of_ours_cannot_be_declared_elsewhere():
    with pytest.raises(TypeError, match=r"kind 'Classifier' belongs to pate\.models\.classifier"):

        class Classifier(Model):
            kind: ClassVar[str] = "Classifier"


def test_a_kind_that_is_nobodys_is_not_found():
    kinds: Kinds = Kinds("pate.models", GROUP)
    for unknown in ("os.system", "../evil", "", None, 3, "Nothing"):
        assert kinds.find(unknown) is None
