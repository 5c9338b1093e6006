"""The verdict never claims more than the test set shows, and never compares two kinds of guarantee unsaid."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pate.accounting.guarantee import KEPT, for_every, for_this
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.evaluation import verdict as module
from pate.evaluation.leads import Lead
from pate.evaluation.measure import of
from pate.evaluation.results import Baseline, MethodResult
from pate.evaluation.verdict import CHOOSING, NOTHING_PRIVATE
from pate.noise import SEEDED
from tests.evaluation.made_up import typed

DELTA = 1e-5
BALANCED = of("balanced_accuracy", "94% of the noisy labels are `no`")


def every(epsilon, why=""):
    return for_every("a", epsilon, DELTA, "t").without(why)


def this(epsilon):
    return for_this("a", epsilon, DELTA, "t")


def row(name, short, guarantees, **metrics):
    titles = {"accuracy": 0.5} | metrics
    return MethodResult(name, short, short, guarantees=guarantees, metrics=titles, from_labels=name == "pate")


def led(rows, **leads):
    """pate_dpsgd=Lead(...): with the lead of the one over the other, by every metric, and the other way round."""
    for pair, lead in leads.items():
        one, other = pair.split("_")
        rows = [
            replace(
                at,
                leads=at.leads
                | ({other: dict.fromkeys(at.metrics, lead)} if at.name == one else {})
                | ({one: dict.fromkeys(at.metrics, lead.turned())} if at.name == other else {}),
            )
            for at in rows
        ]
    return rows


def found(rows, measure=None, baseline=None, notes=(), **dataset):
    config = {"dataset": {"name": "toy"} | dataset}
    rows = [replace(one, stage=one.name) for one in rows]
    whole = replace(typed({"methods": []}), methods=rows, baseline=baseline, config=config)
    whole = replace(whole, notes=list(notes))
    return whole if measure is None else replace(whole, measure=measure)


def verdict(run, folder=Path("runs/one")):
    return module.verdict(run, folder)


def said(told):
    return " ".join([told.headline, *told.sentences])


PATE = row("pate", "PATE", [this(1.0), every(4.0)], accuracy=0.9)
FAIR = row("dpsgd", "DP-SGD", [every(4.0)], accuracy=0.8)


@pytest.mark.parametrize(
    ("lead", "words"),
    [
        (Lead(0.05, 0.01, 0.001), "PATE is the better model"),
        (Lead(-0.05, 0.01, 0.001), "DP-SGD is the better model"),
        (Lead(0.01, 0.01, 0.01), "cannot be told apart"),
        (Lead(0.025, 0.011, 0.0625), "cannot be told apart"),  # five of 200, all one way
        (Lead(0.0, 0.0, 1.0), "cannot be told apart"),
        (Lead(0.05, None, None), "cannot be told apart"),
    ],
)
def test_the_better_one_is_so_by_two_standard_errors_and_no_chance(lead, words):
    rows = [PATE, replace(FAIR, metrics={"accuracy": 0.9 - lead.by})]
    told = verdict(found(led(rows, pate_dpsgd=lead)))
    assert words in told.headline
    assert "at the epsilon that may be published" in told.headline
    assert ("more than chance" in told.headline) == ("better" in words)
    assert f"{abs(lead.by) * 100:.1f}" in told.headline
    assert "points" in told.headline


def test_it_is_three_sentences_and_one_line_that_says_what_the_epsilons_promise():
    told = verdict(found(led([PATE, FAIR], pate_dpsgd=Lead(0.1, 0.01, 0.0))))
    assert told.headline == (
        "On toy, PATE is the better model at the epsilon that may be published: its accuracy is 90.0%, 10.0 ± 1.0 "
        "points above DP-SGD's, which is more than chance."
    )
    assert told.sentences == (
        "What may be published: PATE at epsilon 4.000 and DP-SGD at epsilon 4.000.",
        f"The command below ships PATE; {CHOOSING}.",
    )
    assert told.command == "pate stage=release run=runs/one release.method=pate"
    assert told.precise == (
        "PATE: epsilon 4.000 for every data set (publishable); DP-SGD: epsilon 4.000 for every data set (publishable); "
        "delta 1e-05, one record replaced by nothing"
    )
    assert "delta" not in said(told)
    assert "replaced" not in said(told)


def test_on_a_skewed_table_the_model_that_recognises_both_classes_is_the_better_one():
    """6% positives: who always answers no is right on 93.8%, and finds nobody."""
    pate = replace(PATE, metrics={"accuracy": 0.91, "balanced_accuracy": 0.776})
    dpsgd = replace(FAIR, metrics={"accuracy": 0.945, "balanced_accuracy": 0.661})
    rows = led([pate, dpsgd], pate_dpsgd=Lead(0.115, 0.02, 0.0))
    told = verdict(found(rows, BALANCED))
    assert told.headline.startswith("On toy, PATE is the better model at")
    assert "its balanced accuracy is 77.6%, 11.5 ± 2.0 points above DP-SGD's" in told.headline
    assert "91.0%" not in said(told)


def test_of_a_loss_the_lower_is_better_and_its_difference_has_no_points():
    pate, dpsgd = (replace(one, metrics={"accuracy": 0.9, "log_loss": x}) for one, x in ((PATE, 0.5), (FAIR, 0.25)))
    told = verdict(found(led([pate, dpsgd], pate_dpsgd=Lead(-0.25, 0.01, 0.0)), of("log_loss", "asked for")))
    assert "DP-SGD is the better model" in told.headline
    assert "its log loss is 0.250, 0.250 ± 0.010 below PATE's" in told.headline
    assert "release.method=dpsgd" in told.command


@pytest.mark.parametrize(
    ("guarantee", "words"),
    [
        ([every(60.0)], "at different epsilons"),
        ([replace(every(4.0), delta=1e-4)], "at different deltas"),
        ([replace(every(4.0), relation=every(4.0).relation.of("all records of one patient replaced by nothing"))],
         "for different neighbours"),
        ([], "not known"),
    ],
)  # fmt: skip
def test_the_headline_says_what_is_not_the_same_on_both_sides_and_calls_nobody_better(guarantee, words):
    other = replace(FAIR, guarantees=guarantee, metrics={"accuracy": 0.95})
    told = verdict(found(led([PATE, other], pate_dpsgd=Lead(-0.05, 0.001, 0.0))))
    assert words in told.headline
    assert told.headline.startswith("On toy, DP-SGD (95.0%) and PATE (90.0%) are compared ")
    assert "is the better model" not in said(told)
    assert "better than" not in said(told)
    for one in guarantee:
        assert (one.promise in told.precise) or words == "at different epsilons"


def test_different_kinds_are_in_the_headline_too():
    near = replace(FAIR, guarantees=[every(1.0)])
    told = verdict(found(led([PATE, near], pate_dpsgd=Lead(0.1, 0.01, 0.0))))
    assert told.headline.startswith("On toy, PATE is the better model at epsilons of different kinds: ")
    assert "PATE: epsilon 1.000 for this data set (the owner's, not publishable)" in told.precise
    assert "PATE at epsilon 4.000" in told.sentences[0]  # what may be published of it is said all the same


def test_the_same_kind_is_preferred_to_a_near_one_of_another():
    """DP-SGD at what PATE cost on this very data set, and at what PATE may publish."""
    near = row("dpsgd", "DP-SGD", [every(1.0, KEPT)], accuracy=0.8)
    worst = row("worst", "DP-SGD", [every(4.0, KEPT)], accuracy=0.95)
    rows = led([PATE, near, worst], pate_dpsgd=Lead(0.1, 0.01, 0.0), pate_worst=Lead(-0.05, 0.01, 0.0))
    told = verdict(found(rows))
    assert "DP-SGD is the better model at the same worst-case epsilon" in told.headline
    assert told.sentences[0] == "What may be published: PATE at epsilon 4.000; the other models stay with you."
    assert "release.method=pate" in told.command


def test_what_may_be_published_comes_before_what_may_not_and_the_best_two_before_others():
    kept = row("worst", "DP-SGD", [every(4.0, KEPT)], accuracy=0.99)
    third = row("third", "third", [every(4.0)], accuracy=0.7)
    best = row("best", "best", [every(4.0)], accuracy=0.95)
    rows = led([PATE, kept, third, best], pate_best=Lead(-0.05, 0.01, 0.0), best_third=Lead(0.25, 0.01, 0.0))
    told = verdict(found(rows))
    assert told.headline.startswith("On toy, best is the better model at the epsilon that may be published")
    assert "above PATE's" in told.headline


def test_a_method_is_not_held_against_itself():
    """Both DP-SGD models are nearer to each other in score than to PATE, and none is near in epsilon."""
    twice = [row("dpsgd", "DP-SGD", [every(2.0)], accuracy=0.95), row("worst", "DP-SGD", [every(8.0)], accuracy=0.96)]
    assert "and PATE (90.0%)" in verdict(found([PATE, *twice])).headline


def test_seeded_noise_is_not_called_publishable_and_the_next_command_is_without_the_seed():
    rows = [replace(one, guarantees=[mine.without(SEEDED) for mine in one.guarantees]) for one in (PATE, FAIR)]
    rows = led(rows, pate_dpsgd=Lead(0.1, 0.01, 0.0))
    run = found(rows, notes=[SEEDED])
    told = verdict(replace(run, config=run.config | {"noise": {"seed": 3}}))
    assert "at the same worst-case epsilon" in told.headline
    assert "(publishable)" not in f"{said(told)} {told.precise}"
    assert told.sentences[0] == f"Nothing of this run may be published: {SEEDED}."
    assert told.command == "pate stage=release run=runs/one release.method=pate noise.seed=null"
    assert "which is paid for" in told.sentences[1]


def test_where_the_classes_are_private_there_is_no_command_that_would_publish():
    rows = [replace(one, guarantees=[mine.without("why") for mine in one.guarantees]) for one in (PATE, FAIR)]
    told = verdict(found(rows, notes=[f"labels: {CLASSES_FROM_PRIVATE}"]))
    assert told.command == ""
    assert "declare every class" in told.sentences[1]


def test_who_does_not_clearly_beat_always_answering_the_same_is_told_so():
    rows = led([PATE, FAIR], pate_dpsgd=Lead(0.1, 0.01, 0.0))

    def with_lead(lead):
        leads = {name: {"accuracy": lead} for name in ("pate", "dpsgd")}
        return verdict(found(rows, baseline=Baseline("no", {"accuracy": 0.89}, leads=leads))).headline

    assert "but it is not clearly better than always answering no (89.0%)" in with_lead(Lead(0.01, 0.01, 0.3))
    assert "but it is not" in with_lead(Lead(-0.2, 0.01, 0.0))
    assert "always answering" not in with_lead(Lead(0.2, 0.01, 0.0))


def test_of_two_that_cannot_be_told_apart_neither_beats_it_or_nothing_is_said():
    rows = led([PATE, FAIR], pate_dpsgd=Lead(0.001, 0.01, 0.9))
    for lead, words in ((Lead(0.01, 0.01, 0.3), True), (Lead(0.2, 0.01, 0.0), False)):
        leads = {"pate": {"accuracy": lead}, "dpsgd": {"accuracy": Lead(-0.1, 0.01, 0.0)}}
        told = verdict(found(rows, baseline=Baseline("no", {"accuracy": 0.89}, leads=leads))).headline
        assert ("neither is clearly better than always answering no" in told) == words


def test_of_two_at_different_epsilons_neither_leads_and_so_both_are_held_against_it():
    rows = led([PATE, replace(FAIR, guarantees=[every(60.0)])], pate_dpsgd=Lead(-0.1, 0.01, 0.0))
    leads = {"pate": {"accuracy": Lead(0.2, 0.01, 0.0)}, "dpsgd": {"accuracy": Lead(0.0, 0.01, 1.0)}}
    told = verdict(found(rows, baseline=Baseline("no", {"accuracy": 0.89}, leads=leads))).headline
    assert "always answering" not in told


def test_the_bound_without_privacy_is_named_and_never_called_better():
    bound = replace(row("nonprivate", "without privacy", [], accuracy=0.99), private=False)
    told = verdict(found(led([PATE, FAIR, bound], pate_dpsgd=Lead(0.1, 0.01, 0.0))))
    assert "without privacy a model has 99.0%" in told.headline
    assert "PATE is the better model" in told.headline
    alone = verdict(found([bound]))
    assert (alone.headline, alone.sentences) == (
        "On toy, a model without privacy has an accuracy of 99.0%.",
        (NOTHING_PRIVATE,),
    )


def test_choosing_is_warned_of_where_there_is_a_choice_by_what_is_private():
    rows = led([PATE, FAIR], pate_dpsgd=Lead(0.1, 0.01, 0.0))
    assert said(verdict(found(rows))).count(CHOOSING) == 1
    assert CHOOSING not in said(verdict(found(rows, test_public=True)))
    assert CHOOSING not in said(verdict(found([PATE])))


def test_the_public_has_no_command_and_is_warned_all_the_same():
    told = verdict(found(led([PATE, FAIR], pate_dpsgd=Lead(0.1, 0.01, 0.0))), None)
    assert told.command == ""
    assert "command" not in said(told)
    assert CHOOSING in said(told).replace("No epsilon", "no epsilon")


@pytest.mark.parametrize(("name", "who"), [("pate", "Mine's student"), ("mine", "Mine")])
def test_one_alone_is_called_what_it_is_and_not_better(name, who):
    told = verdict(found([row(name, "Mine", [every(2.0)], accuracy=0.9)]))
    assert told.headline == f"On toy, {who} has an accuracy of 90.0% on the test inputs."
    assert told.sentences[0] == "What may be published: Mine at epsilon 2.000."


def test_a_measure_nobody_has_a_score_by_is_accuracy():
    """As of results of an earlier version, or a class that the test set lacks."""
    assert "an accuracy of 90.0%" in verdict(found([PATE], of("recall_at", "asked for"))).headline


def test_nothing_scored_is_said():
    assert "nothing was scored" in verdict(found([replace(PATE, metrics={})])).headline


def test_no_epsilon_is_spoken_of_that_the_line_below_does_not_explain():
    rows = led([PATE, replace(FAIR, guarantees=[every(3.0)])], pate_dpsgd=Lead(0.1, 0.01, 0.0))
    told = verdict(found(rows))
    spoken = re.findall(r"epsilon (\d+\.\d+)", said(told))
    assert spoken
    assert all(f"epsilon {epsilon} for every data set (publishable)" in told.precise for epsilon in spoken)


@pytest.mark.parametrize(
    ("accuracy", "guarantee", "named"),
    [(0.91, every(1.0), True), (0.9, every(1.0, KEPT), True), (0.89, every(1.0), False), (0.95, every(4.5), False),
     (0.95, this(1.0), False), (0.95, for_every("a", 1.0, 1e-6, "t"), False)],
)  # fmt: skip
def test_who_does_as_well_for_less_is_named_beside_the_better_one(accuracy, guarantee, named):
    third = row("consensus", "consensus", [guarantee], accuracy=accuracy)
    told = verdict(found(led([PATE, FAIR, third], pate_dpsgd=Lead(0.1, 0.01, 0.0))))
    assert "PATE is the better model" in told.headline
    assert (f"; consensus has {accuracy:.1%} at a smaller epsilon, 1.000" in told.headline) == named
    assert not named or "consensus: epsilon 1.000" in told.precise


def test_a_bound_that_is_beaten_is_said_to_bound_its_own_kind_of_model():
    bound = replace(row("nonprivate", "without privacy", [], accuracy=0.85), private=False)
    told = verdict(found(led([PATE, FAIR, bound], pate_dpsgd=Lead(0.1, 0.01, 0.0)))).headline
    assert told.endswith("; the student without privacy, no bound for other models, has 85.0%.")
