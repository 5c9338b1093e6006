"""The table of a sweep: epsilons are rounded up and stand with all that belongs to them."""

from dataclasses import replace

from pate.evaluation.results import StageResult
from pate.noise import SEEDED
from pate.report.sweep.table import print_sweep
from tests.report.sweep.made_up import job, method, stored, words


def test_the_largest_epsilon_of_a_group_is_shown_rounded_up_with_all_that_belongs_to_it(capsys):
    epsilons = (1.5001, 1.2)
    jobs = [job(str(n), f"seed={n}", methods=[method(epsilon=e)], stages=stored(True)) for n, e in enumerate(epsilons)]
    print_sweep(jobs)
    out = words(capsys)
    assert "1.501" in out
    assert "1.200" not in out
    assert "largest of runs" in out
    assert (
        "PATE epsilon: the owner's, not publishable; holds for this data set; delta 0.0001; "
        "neighbours: one record replaced by nothing (zero-out adjacency); "
        "the publishable one holds for every data set, with the same delta and neighbours"
    ) in out


def test_what_differs_between_groups_is_a_column(capsys):
    print_sweep([job(str(d), f"delta={d}", methods=[method(delta=d)]) for d in (1e-4, 1e-6)])
    out = words(capsys)
    assert "PATE delta" in out
    assert "delta 0.0001;" not in out
    kinds = ("this data set", "every data set")
    print_sweep([job(kind[0], f"aggregator={kind[0]}", methods=[method(guarantee=kind)]) for kind in kinds])
    assert "PATE holds for" in words(capsys)


def test_one_run_without_a_publishable_epsilon_leaves_its_group_without(capsys):
    seeded = method(epsilon_publishable=None)
    print_sweep([job("0", "noise.seed=null", methods=[method()]), job("1", "noise.seed=1", methods=[seeded])])
    assert "2.000" not in words(capsys)
    both = [job(str(n), f"noise.seed={n}", methods=[seeded], notes=[SEEDED]) for n in range(2)]
    print_sweep(both)
    out = words(capsys)
    assert f"PATE epsilon: {SEEDED}; holds for" in out
    assert f"note: {SEEDED}" in out


def test_draws_are_counted_and_served_labels_are_not(capsys):
    def told(*stages):
        print_sweep([job(str(n), f"seed={n}", methods=[method()], stages=one) for n, one in enumerate(stages)])
        return words(capsys)

    assert "2 draws of labels from the same private data" in told(stored(False, "a"), stored(False, "b"))
    assert "2 draws of labels" in told(stored(False), stored(False))  # forced: the same key, drawn twice
    assert "2 draws of labels" in told(stored(True, "a"), stored(True, "b"))  # of earlier runs
    assert "draws of labels" not in told(stored(False), stored(True))
    assert "2 of 2 jobs drew no labels" in told({}, {})


def test_labels_that_were_not_drawn_are_told_by_what_a_method_learns_from(capsys):
    """Whatever it is called; of one that learns from no labels there is nothing to say."""

    def told(from_labels):
        one = job("0", "seed=0", methods=[method("mine")])
        one.results.methods[0] = replace(one.results.methods[0], short="Mine", from_labels=from_labels)
        print_sweep([one])
        return words(capsys)

    assert "1 of 1 jobs drew no labels: Mine's epsilon is what drawing them would cost" in told(True)
    assert "drew no labels" not in told(False)


def test_draws_of_any_method_are_counted_and_what_the_owner_keeps_is_not(capsys):
    """By what each stage says of itself: also those of somebody else's method."""

    def told(crosses):
        jobs = [job(str(n), f"seed={n}", methods=[method("means")]) for n in range(2)]
        for n, one in enumerate(jobs):
            one.results.stages["means"] = StageResult(key=str(n), reused=False, crosses=crosses)
        print_sweep(jobs)
        return words(capsys)

    assert "2 draws of means from the same private data: each is a release, and their prices add up" in told(True)
    assert "draws of means" not in told(False)


def test_models_of_the_first_version_are_counted_as_they_were(capsys):
    trained = [{"dpsgd": {"key": key, "reused": False}} for key in "ab"]
    for public, counted in ((2.0, True), (None, False)):  # null: at PATE's epsilon, and kept
        row = method("dpsgd", epsilon=2.0, guarantee="every data set", epsilon_publishable=public)
        print_sweep([job(str(n), f"seed={n}", methods=[row], stages=one) for n, one in enumerate(trained)])
        assert ("2 draws of dpsgd" in words(capsys)) is counted


def test_the_pool_is_shown_of_models_that_learned_from_it(capsys):
    rows = [method("one", accuracy=0.5, public_accuracy=0.6), method("two", accuracy=0.5, public_accuracy=0.6)]
    found = job("0", "seed=0", methods=rows)
    found.results.methods[0] = replace(found.results.methods[0], from_pool=True)
    print_sweep([found])
    out = words(capsys)
    assert out.count("pool") == 1
    assert out.count("60.00%") == 1


def test_a_file_that_names_a_model_and_not_its_stage_is_no_reason_to_fall(capsys):
    print_sweep([job("0", "seed=0", methods=[method("dpsgd", epsilon=2.0, guarantee="every data set")])])
    assert "DP-SGD" in words(capsys)
