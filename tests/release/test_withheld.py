"""What keeps an epsilon from being published is decided in one place, from notes."""

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.noise import SEEDED
from pate.release.withheld import banners, withheld


def test_notes_that_void_the_promise_are_said_in_place_of_publishable():
    assert withheld(["continuous vote noise", "some warning"]) == ""
    assert withheld(["some warning", SEEDED]) == SEEDED
    assert withheld([CLASSES_FROM_PRIVATE]) == "not publishable: classes read from private labels"
    assert withheld(iter([CLASSES_FROM_PRIVATE, SEEDED])) == f"{SEEDED}; {withheld([CLASSES_FROM_PRIVATE])}"
    assert withheld([f"student: {SEEDED}"]) == SEEDED


def test_a_banner_says_why():
    assert banners(["some warning"]) == []
    (seeded,), (classes,) = banners([SEEDED]), banners([CLASSES_FROM_PRIVATE])
    assert seeded.startswith(SEEDED)
    assert "Declare dataset.classes" in classes
