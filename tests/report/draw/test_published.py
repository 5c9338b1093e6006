"""What papers reached, as their tables have it."""

from pathlib import Path

from pate.pipelines import entries

from pate.report.draw.published import REFERENCES

CONF = Path(__file__).parents[3] / "conf" / "dataset"


def test_numbers_are_those_of_the_papers():
    """PATE: Papernot et al. 2017, Figure 4, beside which Abadi et al.'s 97% at epsilon 8 is quoted. Else from the table
    of Tramer & Boneh 2021 that puts DP-SGD with CNNs beside scattering, at delta 1e-5."""
    told = {
        (data, one.source.split(",")[0], one.epsilon): one.accuracy for data in REFERENCES for one in REFERENCES[data]
    }
    for paper, epsilon, accuracy, data in (
        ("Papernot et al. 2017", 2.04, 0.98, "mnist"),
        ("Papernot et al. 2017", 8.03, 0.981, "mnist"),
        ("Papernot et al. 2017", 5.04, 0.8272, "svhn"),
        ("Papernot et al. 2017", 8.19, 0.9066, "svhn"),
        ("Abadi et al. 2016", 2.0, 0.95, "mnist"),
        ("Abadi et al. 2016", 8.0, 0.97, "mnist"),
        ("Papernot et al. 2020", 2.93, 0.981, "mnist"),
        ("Papernot et al. 2020", 2.7, 0.861, "fashion_mnist"),
        ("Tramer & Boneh 2021", 1.2, 0.981, "mnist"),
        ("Tramer & Boneh 2021", 2.93, 0.987, "mnist"),
        ("Tramer & Boneh 2021", 2.7, 0.895, "fashion_mnist"),
        ("Tramer & Boneh 2021", 3.0, 0.897, "fashion_mnist"),
        ("Tramer & Boneh 2021", 3.0, 0.67, "cifar10"),
    ):
        assert told.pop((data, paper, epsilon)) == accuracy
    assert told == {}  # no reference is without a source


def test_the_2017_prices_are_of_one_data_set_and_those_of_dpsgd_of_every():
    kinds = {(one.mark, one.guarantee) for some in REFERENCES.values() for one in some}
    assert kinds == {("o", "this data set"), ("s", "every data set")}


def test_they_are_marked_as_the_methods_they_are_results_of(settings):
    marks = {one.key: one.mark for one in entries(settings())}
    told = {one.source: one.mark for some in REFERENCES.values() for one in some}
    assert told.pop("Papernot et al. 2017, PATE-G") == marks["pate"]
    assert set(told.values()) == {marks["dpsgd"]}


def test_they_are_found_by_the_names_of_our_data_sets():
    assert set(REFERENCES) <= {file.stem for file in CONF.glob("*.yaml")}
