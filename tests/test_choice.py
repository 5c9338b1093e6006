"""A choice is known by what it is, whatever its code looks like: else an edit would draw, and spend, again."""

import json
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.choice import Choice, default, differing
from pate.settings import Settings

KINDS = Path(__file__).with_name("kinds.json")  # the first kinds with their frozen defaults; it only grows


def all_kinds():
    """group -> kind -> class, of everything conf/ offers and our methods bring."""
    import yaml
    from pate.pipelines import methods

    found = {}
    for file in sorted(Path("conf").glob("*/*.yaml")):
        target = (yaml.safe_load(file.read_text()) or {}).get("_target_")
        if target:
            module, _, name = target.rpartition(".")
            kind = getattr(import_module(module), name)
            if file.parent.name != "tracking":  # nothing is drawn by who follows
                found.setdefault(file.parent.name, {})[kind.known_as()] = kind
    brought = {key: method.own for key, method in methods().items() if type(method).__module__.startswith("pate.")}
    return found | {key: {own.known_as(): own} for key, own in brought.items() if own is not None}


def pinned():
    """group -> kind -> its frozen defaults as somebody wrote them down: the first kinds in kinds.json, a later one as
    FROZEN in the test of its own module."""
    found = json.loads(KINDS.read_text())
    for group, kinds in all_kinds().items():
        for name, kind in kinds.items():
            if name not in found.get(group, {}):
                room, _, module = kind.__module__.removeprefix("pate.").rpartition(".")
                beside = import_module(f"tests.{room}.test_{module}")
                found.setdefault(group, {})[name] = beside.FROZEN
    return found


def test_only_what_differs_from_the_defaults_is_said():
    assert LNMax().identity() == {"kind": "lnmax", "revision": 1}
    assert LNMax(gamma=0.5).identity() == {"kind": "lnmax", "revision": 1, "gamma": 0.5}


def test_a_class_that_moves_stays_what_it_was():
    @dataclass(frozen=True)
    class Elsewhere(Choice):
        __module__ = "pate.edited"
        kind: ClassVar[str] = "lnmax"
        gamma: float = 0.2
        noise: str = "discrete"

    assert Elsewhere().identity() == LNMax().identity()
    assert Elsewhere(gamma=0.5).identity() == LNMax(gamma=0.5).identity()


def test_a_new_field_says_nothing_at_its_default():
    @dataclass(frozen=True)
    class Later(LNMax):
        __module__ = "pate.edited"
        kind: ClassVar[str] = "lnmax"
        clipped: bool = False
        weights: list[float] = field(default_factory=list)

    assert Later().identity() == LNMax().identity()
    assert Later(clipped=True).identity() != LNMax().identity()


def test_a_changed_default_is_said_by_the_frozen_one():
    @dataclass(frozen=True)
    class Louder(LNMax):
        __module__ = "pate.edited"
        kind: ClassVar[str] = "lnmax"
        frozen: ClassVar[dict] = {"gamma": 0.2}
        gamma: float = 0.1

    assert Louder().identity() == LNMax(gamma=0.1).identity()
    assert Louder(gamma=0.2).identity() == LNMax().identity()


def test_another_law_is_another_choice():
    @dataclass(frozen=True)
    class Mended(LNMax):
        __module__ = "pate.edited"
        kind: ClassVar[str] = "lnmax"
        revision: ClassVar[int] = 2

    assert Mended().identity() != LNMax().identity()


def test_a_name_is_that_of_the_package_that_declares_it():
    """Two of other packages, of one name and with the same fields, draw by other laws; each may move within its own."""

    def of(module):
        @dataclass(frozen=True)
        class Exponential(Choice):
            __module__ = module
            kind: ClassVar[str] = "exponential"
            gamma: float = 0.2

        return Exponential(gamma=0.5).identity()

    assert of("one.mechanisms") != of("other.mechanisms")
    assert of("one.mechanisms") == of("one.moved.here")
    assert of("one") == {"kind": "one:exponential", "revision": 1, "gamma": 0.5}
    assert of("pate.aggregation.exponential") == {"kind": "exponential", "revision": 1, "gamma": 0.5}
    assert of("pate_of_others") != of("pate.aggregation")


def test_a_subclass_inherits_no_name():
    @dataclass(frozen=True)
    class Mine(GNMax):
        pass

    assert Mine().identity()["kind"].endswith("Mine")


def test_who_declares_no_name_says_all_there_is():
    """Nobody froze those defaults: labels of sigma 10 must not be served, and priced, as labels of sigma 100."""

    def mine(usual):
        @dataclass(frozen=True)
        class Mine(GNMax):
            sigma: float = usual

        return Mine().identity()

    assert mine(10.0)["sigma"] == 10.0
    assert mine(10.0)["kind"] == mine(100.0)["kind"]
    assert mine(10.0) != mine(100.0)


def test_a_field_that_got_its_default_later_is_always_said():
    """Whether somebody wrote it down or left it out: what was drawn when it had to be written down is found again."""
    from pate.dpsgd.models import CNN, MLP, Linear, ScatterLinear

    always = {"epsilon", "lot", "epochs", "learning_rate", "clip"}
    for kind in (Linear, ScatterLinear, MLP, CNN):
        assert kind().identity().keys() == {"kind", "revision"} | always
    written = Linear(epsilon="pate", lot=256, epochs=20.0, learning_rate=4.0, clip=0.25)
    assert written.identity() == Linear().identity()
    assert written.identity() == {
        "kind": "linear", "revision": 1, "epsilon": "pate", "lot": 256, "epochs": 20.0, "learning_rate": 4.0,
        "clip": 0.25,
    }  # fmt: skip


def test_an_estimator_is_always_said():
    from pate.teachers.sklearn import Sklearn

    @dataclass(frozen=True)
    class Mine(Sklearn):
        pass

    forest = {"_target_": "sklearn.ensemble.RandomForestClassifier"}
    for kind in (Sklearn, Mine):
        assert kind().identity()["estimator"] == kind(estimator=forest).identity()["estimator"] == forest


def test_kinds_are_unique_within_their_group():
    for group, kinds in all_kinds().items():
        named_so = [kind for kind in kinds if "." not in kind]
        assert len(named_so) == len(kinds), f"{group}: declare a kind in every class that conf/ names"


def test_frozen_defaults_never_change():
    """A draw at a default is kept without saying it: another default would be served answers drawn at the old one. So
    whoever changes a default keeps the old one in `frozen`, and every kind is pinned from the day it comes."""
    now = {
        group: {name: {item.name: _frozen(kind, item) for item in fields(kind)} for name, kind in kinds.items()}
        for group, kinds in all_kinds().items()
    }
    assert now == pinned()


def test_defaults_of_sections_that_draws_depend_on_never_change():
    """They have no `frozen`: a default that must change becomes a field of another name."""
    from pate.settings import NoiseConfig, PartitionConfig, SanitiseConfig

    pins = {NoiseConfig: {"seed": None}, PartitionConfig: {"group_by": None, "budget_by": None, "budgets": None}}
    pins[SanitiseConfig] = {"order": 20.0, "beta": 0.01, "sigma_ss": 5.0}
    for section, pin in pins.items():
        assert {item.name: default(item) for item in fields(section)} == pin


def test_sections_say_only_what_differs():
    from pate.settings import NoiseConfig, PartitionConfig

    assert differing(PartitionConfig()) == {}
    assert differing(NoiseConfig(seed=0)) == {"seed": 0}


def test_every_setting_a_draw_depends_on_can_be_asked_for():
    from pate.pipelines.dpsgd import dpsgd
    from pate.pipelines.labels import labels
    from pate.pipelines.sanitise import sanitise

    names = {item.name for item in fields(Settings)} | {"class_weights"}  # of balance.records and dataset.priors
    for stage in (dpsgd, labels, sanitise):
        assert {name.partition(".")[0] for name in stage.config} <= names


def _frozen(kind, item):
    value = kind.__dict__.get("frozen", {}).get(item.name, default(item))
    return "no default" if value is MISSING else list(value) if isinstance(value, tuple) else value
