"""What the exact prices allow for, against 40-digit arithmetic at the edges of what is accepted."""

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.confident import behind_threshold
from pate.accounting.exact_pld import losses
from pate.accounting.exact_rdp import RARE, divergences
from pate.accounting.law import chunks, laws
from pate.accounting.pld import compose
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from tests.accounting.forty_digits import law as true_law
from tests.accounting.forty_digits import log_tail

SLACK = 4e-13  # what is claimed to hold
EDGES = [
    ("laplace", 3.0, [2] * 15 + [0] * 15),  # the largest gamma, many classes
    ("laplace", 3.0, [1] * 30),
    ("laplace", 3.0, [5] + [0] * 29),
    ("laplace", 3.0, [3] * 100),
    ("laplace", 3.0, [190, 2, 0]),  # next to impossible: 1e-246
    ("laplace", 3.0, [2000, 1990, 0]),  # many teachers
    ("laplace", 1.0, [2] * 15 + [0] * 15),
    ("laplace", 1e-5, [1] * 60 + [0] * 240),  # the smallest gamma, and more classes than one rule has nodes for
    ("discrete", 3.0, [2] * 15 + [0] * 15),
    ("discrete", 3.0, [1] * 60),
    ("discrete", 1.0, [5] + [0] * 29),
    ("discrete", 3.0, [85, 84, 0]),
    ("gaussian", 0.5, [2] * 29 + [0]),  # the smallest sigma
    ("gaussian", 0.5, [4] * 29 + [0]),
    ("gaussian", 0.5, [17, 17, 0]),
    ("gaussian", 0.5, [60, 59]),  # as many teachers as are accepted with it
    ("gaussian", 1.0, [12] * 29 + [0]),
    ("gaussian", 2.0, [40] * 29 + [0]),
    ("gaussian", 2.0, [1] * 20 + [0] * 80),
    ("discrete gaussian", 0.5, [4] * 29 + [0]),
    ("discrete gaussian", 0.5, [17, 17, 0]),
    ("discrete gaussian", 0.5, [60, 59]),
    ("discrete gaussian", 12.0, [30, 29, 0]),
]
NAMES = [f"{kind} {scale:g} {max(row)}x{row.count(max(row))} of {len(row)}" for kind, scale, row in EDGES]


def law_of(kind, scale, histogram):
    noise = "discrete" if kind.startswith("discrete") else "continuous"
    mechanism = GNMax(scale, noise) if kind.endswith("gaussian") else LNMax(scale, noise)
    grid = mechanism.law(sum(histogram), len(histogram)).grid
    (chunk,) = chunks(np.array([histogram]), grid)
    return laws(chunk, grid)


def neighbours(kind, scale, histogram, law):
    """Each neighbour's place, and for each of its outcomes: place, how many classes, the two true probabilities."""
    here, d = true_law(kind, scale, histogram), law.distinct.shape[1]
    for (u, a), (v, b) in itertools.product(enumerate(law.distinct[0].tolist()), repeat=2):
        place = u * d + v
        if not law.weight[0, place].any():
            continue
        moved = list(histogram)
        moved[moved.index(a)] -= 1
        moved[next(i for i, n in enumerate(moved) if n == b and histogram[i] == b)] += 1
        there = true_law(kind, scale, moved)
        then = [*((n, n) for n in law.distinct[0].tolist()), (a, a - 1), (b, b + 1)]
        outcomes = [o for o in range(d + 2) if law.weight[0, place, o] > 0]
        yield place, [(o, int(law.weight[0, place, o]), here[then[o][0]], there[then[o][1]]) for o in outcomes]


@pytest.mark.parametrize(("kind", "scale", "histogram"), EDGES, ids=NAMES)
def test_what_is_claimed_is_never_below_the_truth(kind, scale, histogram):
    """Every probability is within the slack, and so every divergence and every delta lies on or above the true one."""
    law, orders = law_of(kind, scale, histogram), np.array([1.5, 9.0, 257.0])
    claimed = divergences(law, orders)[:, 0]
    curves = [compose(one, np.ones(1), 1e-5)[0] for one in losses(law, 0.02, 400)]
    for place, outcomes in neighbours(kind, scale, histogram, law):
        for o, _, p, q in outcomes:
            for found, true in ((law.p, p), (law.other, q)):
                if true > RARE:
                    assert abs(found[0, place, o] / true - 1) <= SLACK
            if min(p, q) > RARE:
                assert abs(law.logratio[0, place, o] - mpmath.log(p / q)) <= 2 * SLACK
        for way, swap in enumerate((False, True)):
            pairs = [(m, q, p) if swap else (m, p, q) for _, m, p, q in outcomes if min(p, q) > RARE]
            for order, value in zip(orders, claimed[way], strict=True):
                moment = mpmath.fsum(m * (p * (p / q) ** (order - 1)) for m, p, q in pairs)
                assert value >= mpmath.log(moment) / (order - 1)
            for epsilon in (0.0, 0.5, 3.0):
                delta = mpmath.fsum(m * max(p - mpmath.exp(epsilon) * q, 0) for m, p, q in pairs)
                assert curves[way].delta(epsilon) >= delta


@settings(max_examples=8, deadline=None)
@given(st.floats(0.3, 3.0), st.lists(st.integers(0, 6), min_size=1, max_size=2), st.integers(2, 60), st.randoms())
def test_laplace_laws_hold_for_any_gamma_and_any_number_of_classes(gamma, levels, classes, random):
    histogram = sorted((random.choice(levels) for _ in range(classes - 1)), reverse=True)
    histogram = sorted([*histogram, 1], reverse=True)  # somebody voted
    law = law_of("laplace", gamma, histogram)
    for place, outcomes in neighbours("laplace", gamma, histogram, law):
        for o, _, p, q in outcomes:
            assert abs(law.p[0, place, o] / p - 1) <= SLACK
            assert abs(law.other[0, place, o] / q - 1) <= SLACK


@pytest.mark.parametrize(
    ("noise", "threshold"), [("continuous", 9.0), ("continuous", 40.0), ("discrete", 9.0), ("discrete", 40.0)]
)
def test_behind_a_threshold_too(noise, threshold):
    """The whole law of Confident-GNMax at the smallest sigma, for a test that seldom and one that never passes."""
    kind, histogram = ("gaussian" if noise == "continuous" else "discrete gaussian"), [4] * 29 + [0]
    bare = law_of(kind, 0.5, histogram)
    law = behind_threshold(threshold, 1.5, noise)(bare)
    for place, outcomes in neighbours(kind, 0.5, histogram, bare):
        moved = {0: 5, 1: 4, 2: 5}[place]  # leader to leader, leader to last (28 others stay), last to nobody
        passes, there = (mpmath.exp(log_tail(kind, threshold - top, 1.5)) for top in (4, moved))
        for o, _, p, q in outcomes:
            for found, true in ((law.p, p * passes), (law.other, q * there)):
                if true > RARE:
                    assert abs(found[0, place, o] / true - 1) <= 2 * SLACK
