"""Laws of the noisy argmax against adaptive quadrature, summation and closed forms."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pate.accounting.confident import behind_threshold
from pate.accounting.law import chunks, laws
from pate.accounting.quadrature import discrete_gaussian, discrete_laplace, gaussian, laplace

HISTOGRAMS = [[12, 5, 3, 0, 0], [20, 0, 0], [7, 7, 6], [10, 10], [4, 4, 4, 4, 4], [19, 1]]


def slow_law(counts, kind, scale):
    """Each class's probability by adaptive quadrature (or, for discrete noise, by summing over all values)."""
    counts = np.asarray(counts, dtype=float)
    if kind.startswith("discrete"):
        return slow_discrete(counts, kind, scale)
    far = 60 / scale if kind == "laplace" else 12 * scale
    edges = sorted({*counts, *np.linspace(counts.min() - far, counts.max() + far, 24)})
    law = []
    for j in range(len(counts)):
        others = [float(n) for n in np.delete(counts, j)]

        def density(x, own=float(counts[j]), others=others):
            value = pdf(kind, x - own, scale)
            for other in others:
                value *= cdf(kind, x - other, scale)
            return value

        parts = [integrate.quad(density, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(edges)]
        law.append(math.fsum(parts))
    return np.array(law)


def pdf(kind, x, scale):
    if kind == "laplace":
        return scale / 2 * math.exp(-scale * abs(x))
    return math.exp(-0.5 * (x / scale) ** 2) / (scale * math.sqrt(2 * math.pi))


def cdf(kind, x, scale):
    if kind == "laplace":
        return math.exp(scale * x) / 2 if x < 0 else 1 - math.exp(-scale * x) / 2
    return math.erfc(-x / (scale * math.sqrt(2))) / 2


def slow_discrete(counts, kind, scale):
    """Ties fall uniformly: sum over the winning value v and the number of others that tie with it."""
    reach = int(45 / scale) if kind == "discrete" else int(36 * scale)
    k = np.arange(-reach, reach + int(counts.max()) + 1)
    if kind == "discrete":
        t = math.exp(-scale)
        at = (1 - t) / (1 + t) * np.exp(-scale * np.abs(k - counts[:, None]))
        below = np.cumsum(at, axis=1) - at + t ** (counts[:, None] - k[0]) / (1 + t)
    else:
        at = np.exp(-(((k - counts[:, None]) / scale) ** 2) / 2)
        at /= at.sum(axis=1, keepdims=True)
        below = np.cumsum(at, axis=1) - at
    law = []
    for j in range(len(counts)):
        ties = np.zeros((len(counts), len(k)))
        ties[0] = at[j]
        for other in range(len(counts)):
            if other != j:
                ties = ties * below[other] + np.roll(ties, 1, axis=0) * at[other]
        law.append((ties / np.arange(1, len(counts) + 1)[:, None]).sum())
    return np.array(law)


def grid_of(kind, scale, teachers, classes):
    if kind == "gaussian":
        return gaussian(scale, teachers, classes)
    if kind == "discrete gaussian":
        return discrete_gaussian(scale, teachers, classes)
    return (laplace if kind == "laplace" else discrete_laplace)(scale, teachers, classes)


def law_of(histogram, grid):
    (chunk,) = chunks(np.array([histogram]), grid)
    return laws(chunk, grid)


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


@pytest.mark.parametrize("sigma", [0.5, 2.0, 7.0, 19.0, 40.0, 100.0])
@pytest.mark.parametrize(
    "histogram", [[100, 90, 8, 2, *[0] * 6], [20] * 10, [60] * 3 + [0] * 2, [5] * 36 + [0] * 4, [200, 0]], ids=str
)
def test_discrete_gaussian_sums_may_skip_cells(histogram, sigma):
    """Every probability above 1e-280 to 13 digits, also with many classes: what the exact prices allow for."""
    if (200 + 12 * sigma) / sigma**2 > 500:
        pytest.skip("no exact price there")
    law, here = law_of(histogram, discrete_gaussian(sigma, 200, len(histogram))), slow_discrete_log(histogram, sigma)
    d = law.distinct.shape[1]
    real = np.flatnonzero(law.weight[0].any(axis=1))
    for u in {int(place) // d for place in real}:
        own = here[histogram.index(law.distinct[0, u])]
        place = next(place for place in real if place // d == u)
        if own > 1e-280:
            assert law.p[0, place, d] == pytest.approx(own, rel=1e-13)


def slow_discrete_log(histogram, sigma):
    """As slow_discrete, with tails that are sums of their own: no digit is lost below the others."""
    counts = np.array(histogram)
    k = np.arange(-int(14 * sigma) - 4, int(14 * sigma) + 205)
    whole = np.arange(-int(30 * sigma) - 240, int(30 * sigma) + 241)
    mass = np.exp(-((whole / sigma) ** 2) / 2)
    mass /= math.fsum(mass)
    low = np.cumsum(mass) - mass
    up_to = np.where(whole <= 0, low, 1 - np.cumsum(mass[::-1])[::-1])  # Pr[K < k]
    place = k - counts[:, None] - whole[0]
    law = []
    for j in range(len(counts)):
        ties = np.zeros((len(counts), len(k)))
        ties[0] = mass[place[j]]
        for other in range(len(counts)):
            if other != j:
                ties = ties * up_to[place[other]] + np.roll(ties, 1, axis=0) * mass[place[other]]
        law.append((ties / np.arange(1, len(counts) + 1)[:, None]).sum())
    return np.array(law)


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


def test_the_threshold_test_adds_an_outcome():
    histogram = [12, 12, 3]
    law = behind_threshold(14.0, 3.0, "continuous")(law_of(histogram, gaussian(5.0, 27, 3)))
    argmax = slow_law(histogram, "gaussian", 5.0)
    passes = stats.norm.cdf((12 - 14) / 3)
    neighbours = {(0, 0): 13, (0, 1): 12, (1, 0): 13, (1, 1): None}  # largest count after the move
    for (u, v), top in neighbours.items():
        place = u * 2 + v
        if top is None:
            assert not law.weight[0, place].any()
            continue
        passes_there = stats.norm.cdf((top - 14) / 3)
        assert law.p[0, place, -1] == pytest.approx(1 - passes)
        assert law.other[0, place, -1] == pytest.approx(1 - passes_there)
        assert law.p[0, place, -3] == pytest.approx(argmax[histogram.index(law.distinct[0, u])] * passes)
        assert (law.weight * law.other)[0, place].sum() == pytest.approx(1)
    alone = behind_threshold(14.0, 3.0, "continuous")(law_of([13, 12, 2], gaussian(5.0, 27, 3)))
    assert alone.other[0, 0 * 3 + 2, -1] == pytest.approx(stats.norm.sf((12 - 14) / 3))  # the leader lost a vote


@pytest.mark.parametrize("threshold", [13.3, 14.0])
def test_whole_noise_reaches_a_threshold_rounded_up(threshold):
    k = np.arange(-60, 61)
    mass = np.exp(-((k / 3) ** 2) / 2)
    mass /= mass.sum()
    law = behind_threshold(threshold, 3.0, "discrete")(law_of([12, 12, 3], discrete_gaussian(5.0, 27, 3)))
    argmax = slow_law([12, 12, 3], "discrete gaussian", 5.0)
    for place, top in ((0, 13), (1, 12), (2, 13)):  # neighbours: to the other leader, to the third, from the third
        assert law.p[0, place, -1] == pytest.approx(mass[12 + k < threshold].sum(), rel=1e-12)
        assert law.other[0, place, -1] == pytest.approx(mass[top + k < threshold].sum(), rel=1e-12)
        assert (law.weight * law.other)[0, place].sum() == pytest.approx(1, abs=1e-12)
    assert law.p[0, 0, -3] == pytest.approx(argmax[0] * mass[12 + k >= threshold].sum(), rel=1e-12)
