"""A drawing as an element of a page: in the page's colours, with ids of its own, and words for who cannot see it."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest

from pate.report.draw.svg import COLOURS, drawing, inline


@pytest.fixture(scope="module")
def picture():
    with drawing() as (figure, axes):
        axes.plot([0, 1], [0, 1], color=COLOURS["pate"], marker="o")  # marks are drawn once and referred to
        axes.set_xlabel("epsilon")
        return inline(figure, "here", "A <title>", "From 0 & up")


def test_it_is_an_element_with_a_title_and_words(picture):
    root = ElementTree.fromstring(picture)
    texts = {child.get("id"): child.text for child in root if child.get("id", "").endswith(("title", "desc"))}
    assert texts == {"here-title": "A <title>", "here-desc": "From 0 & up"}
    assert root.get("aria-labelledby").split() == list(texts)


def test_its_colours_are_the_pages(picture):
    assert "var(--pate)" in picture
    assert not any(colour in picture for colour in COLOURS.values())


def test_its_ids_are_its_own_and_what_it_refers_to_is_there(picture):
    ids = set(re.findall(r'\bid="([^"]+)"', picture))
    assert all(one.startswith("here-") for one in ids)
    referred = set(re.findall(r"url\(#([^)]+)\)", picture)) | set(re.findall(r'href="#([^"]+)"', picture))
    assert len(referred) > 1  # the clip of the axes, the shape of a mark
    assert referred <= ids


def test_other_drawings_of_the_process_are_left_alone(picture):
    before = dict(matplotlib.rcParams)
    with drawing():
        assert matplotlib.rcParams["svg.fonttype"] == "none"
    assert dict(matplotlib.rcParams) == before
