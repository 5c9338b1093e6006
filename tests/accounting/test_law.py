"""Laws of the noisy argmax against adaptive quadrature, summation and closed forms."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pate.accounting.quadrature import discrete_gaussian, discrete_laplace, gaussian, laplace
from tests.accounting.one_answer import law_of
from tests.accounting.slow_law import cdf, pdf, slow_law

HISTOGRAMS = [[12, 5, 3, 0, 0], [20, 0, 0], [7, 7, 6], [10, 10], [4, 4, 4, 4, 4], [19, 1]]


def grid_of(kind, scale, teachers, classes):
    if kind == "gaussian":
        return gaussian(scale, teachers, classes)
    if kind == "discrete gaussian":
        return discrete_gaussian(scale, teachers, classes)
    return (laplace if kind == "laplace" else discrete_laplace)(scale, teachers, classes)


@pytest.mark.parametrize("histogram", HISTOGRAMS, ids=str)
@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        ("laplace", 0.05),
        ("laplace", 0.7),
        ("discrete", 0.2),
        ("gaussian", 6.0),
        ("gaussian", 1.5),
        ("discrete gaussian", 31.0),
        ("discrete gaussian", 6.0),
        ("discrete gaussian", 1.5),
        ("discrete gaussian", 0.6),
    ],
)
def test_every_neighbour_has_the_right_law(histogram, kind, scale):
    grid = grid_of(kind, scale, sum(histogram), len(histogram))
    law = law_of(histogram, grid)
    d = law.distinct.shape[1]
    here = slow_law(histogram, kind, scale)
    seen = 0
    for u, v in itertools.product(range(d), repeat=2):
        neighbour = u * d + v
        if not law.weight[0, neighbour].any():
            continue
        seen += 1
        moved = list(histogram)
        a = moved.index(law.distinct[0, u])
        b = next(i for i, n in enumerate(histogram) if n == law.distinct[0, v] and i != a)
        moved[a] -= 1
        moved[b] += 1
        there = slow_law(moved, kind, scale)
        rest = [i for i in range(len(histogram)) if i not in (a, b)]
        groups = [next((i for i in rest if histogram[i] == count), None) for count in law.distinct[0]]
        classes = [*groups, a, b]
        for outcome, label in enumerate(classes):
            if law.weight[0, neighbour, outcome] == 0:
                continue
            assert law.p[0, neighbour, outcome] == pytest.approx(here[label], rel=2e-10)
            assert law.other[0, neighbour, outcome] == pytest.approx(there[label], rel=2e-10)
            ratio = math.log(here[label] / there[label])
            assert law.logratio[0, neighbour, outcome] == pytest.approx(ratio, abs=2e-10)
        assert (law.weight * law.other)[0, neighbour].sum() == pytest.approx(1, abs=1e-14)
    origins = [n for n in set(histogram) if n >= 1]
    expected = sum(1 for a in origins for b in set(histogram) if a != b or histogram.count(a) > 1)
    assert seen == expected


def test_two_laplace_classes_have_their_closed_form():
    law = law_of([30, 10], laplace(0.1, 40, 2))
    loses = (2 + 0.1 * 20) / 4 * math.exp(-0.1 * 20)  # Papernot et al. 2017, Lemma 4
    assert law.p[0, 1, 3] == pytest.approx(loses, rel=1e-13)


def test_two_gaussian_classes_have_their_closed_form():
    law = law_of([30, 10], gaussian(9.0, 40, 2))
    assert law.p[0, 1, 3] == pytest.approx(stats.norm.sf(20 / (9 * math.sqrt(2))), rel=1e-12)


@pytest.mark.parametrize("classes", [30, 100])
def test_many_classes(classes):
    """The chance of the leader, as one integral over its own noisy count."""
    histogram = [40, 8, 1, 1, *[0] * (classes - 4)]
    law = law_of(histogram, laplace(0.1, 50, classes))

    def density(x):
        others = cdf("laplace", x - 8, 0.1) * cdf("laplace", x - 1, 0.1) ** 2 * cdf("laplace", x, 0.1) ** (classes - 4)
        return pdf("laplace", x - 40, 0.1) * others

    edges = [-60, 0, 1, 8, 40, 80, 160, 700]
    leader = math.fsum(integrate.quad(density, a, b, epsrel=1e-12)[0] for a, b in itertools.pairwise(edges))
    assert law.p[0, 1, -2] == pytest.approx(leader, rel=1e-10)


def test_a_wide_gap_keeps_its_digits():
    """The winner's chance is 1 - 1e-15: its log-ratio must come from what the others lose."""
    law = law_of([700, 0], gaussian(45.0, 700, 2))
    q, there = stats.norm.sf(700 / (45 * math.sqrt(2))), stats.norm.sf(698 / (45 * math.sqrt(2)))
    assert law.logratio[0, 1, 2] == pytest.approx(there - q, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=6).filter(any),
    st.sampled_from(["laplace", "discrete", "gaussian", "discrete gaussian"]),
)
def test_laws_are_laws(counts, kind):
    histogram = sorted(counts, reverse=True)
    law = law_of(histogram, grid_of(kind, 4.0 if "gaussian" in kind else 0.3, sum(histogram), len(histogram)))
    real = law.weight[0].any(axis=1)
    for world in (law.p, law.other):
        assert (law.weight * world)[0, real].sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert (world >= 0).all()
