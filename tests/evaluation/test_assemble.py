"""What a run found is put together from what its methods made, and nothing is publishable that something voids."""

from pate.evaluation.assemble import versions
from pate.noise import SEEDED


def test_rows_are_those_of_the_methods_that_were_run(owners_run):
    found, _ = owners_run
    assert [row["name"] for row in found["methods"]] == [
        "pate",
        "dpsgd",
        "dpsgd_publishable",
        "consensus",
        "nonprivate",
    ]
    pate, dpsgd, fair, consensus, bound = found["methods"]
    assert [one["holds_for"] for one in pate["guarantees"]] == ["this data set", "every data set"]
    assert (dpsgd["kept"], fair["kept"], consensus["kept"], bound["private"]) == (True, True, True, False)
    assert {name: len(row["leads"]) for name, row in zip("pdfcn", found["methods"], strict=True)} == dict.fromkeys(
        "pdfcn", 4
    )
    assert pate["leads"]["dpsgd"]["accuracy"]["by"] == -dpsgd["leads"]["pate"]["accuracy"]["by"]
    assert set(pate["standard_errors"]) == {name for name, value in pate["metrics"].items() if value is not None}
    assert (found["measure"]["name"], found["measure"]["why"]) == ("accuracy", "the default")
    assert found["baseline"]["answer"] in pate["by_class"]
    assert found["baseline"]["leads"].keys() == {row["name"] for row in found["methods"]}
    assert pate["stage"] == "student"
    assert pate["seconds"] >= found["stages"]["student"]["seconds"]


def test_models_kept_for_the_comparison_have_no_publishable_epsilon(owners_run):
    found, _ = owners_run
    assert [row["epsilon_publishable"] is not None for row in found["methods"]] == [True, False, False, False, False]
    assert "the owner's, not publishable" in found["methods"][1]["guarantees"][0]["withheld"]


def test_seeded_noise_voids_every_epsilon_of_the_run(small_run):
    found, _ = small_run("noise.seed=1", "stage=student")
    assert found["notes"][0] == SEEDED
    assert not any(one["publishable"] for row in found["methods"] for one in row["guarantees"])
    assert not any(one["publishable"] for one in found["pate"]["accountants"])
    assert all(SEEDED in one["withheld"] for one in found["pate"]["accountants"])


def test_a_run_can_be_repeated_with_what_it_names():
    assert {"python", "numpy", "torch", "dp-accounting", "pate-pipelines"} <= versions().keys()
