"""One release or several: each of what those before leave unsaid, and none drawn twice."""

import numpy as np
import pytest

from pate.consensus.consensus import Consensus
from pate.consensus.drawing import Answers, draw
from pate.consensus.kernel import KernelConsensus
from pate.noise import source

rng = np.random.default_rng(0)
CENTRES = 2 * rng.normal(size=(3, 5))
Y = rng.integers(3, size=3000)
PRIVATE = (CENTRES[Y] + rng.normal(size=(3000, 5))).astype(np.float32)
PUBLIC = (CENTRES[np.arange(200) % 3] + rng.normal(size=(200, 5))).astype(np.float32)
CHOSEN = KernelConsensus(5.0, releases=2, landmarks=100)
PLAN = CHOSEN.plan(5.0, 1e-5, None).in_releases(2)
BASIS = CHOSEN.basis(PUBLIC, 3, PLAN.floor(3000, 3))
ANSWERS, POOL = Answers(PLAN, BASIS.read(PRIVATE), Y, None, 3), BASIS.pool(PUBLIC)


def test_the_second_sum_is_of_what_the_first_leaves_unsaid():
    drawn = draw(CHOSEN, ANSWERS, POOL, source(0))
    assert drawn.total.shape == (2, BASIS.components, 3)
    assert not drawn.before[0].any()
    exact = ANSWERS.beyond(drawn.before[1]) * drawn.unit[1]
    off = (drawn.answers[1] - exact) / drawn.noise[1]
    assert abs(off.std() - 1) < 6 / np.sqrt(2 * off.size)
    learned = CHOSEN.learn(POOL, drawn)
    assert np.linalg.norm(ANSWERS.beyond(learned.weights)) < np.linalg.norm(ANSWERS.beyond(drawn.before[1]))


def test_what_was_saved_is_not_drawn_again():
    kept: dict[int, np.ndarray] = {}
    whole = draw(CHOSEN, ANSWERS, POOL, source(0), keep=kept.__setitem__)
    again = draw(CHOSEN, ANSWERS, POOL, source(0), saved={0: kept[0]})
    assert np.array_equal(whole.total, again.total)  # seeded: the second one is the same, whether the first was drawn
    fresh: dict[int, np.ndarray] = {}
    draw(CHOSEN, ANSWERS, POOL, source(None), saved={0: kept[0]}, keep=fresh.__setitem__)
    assert list(fresh) == [1]


def test_one_is_one():
    once = Answers(PLAN.in_releases(1), BASIS.read(PRIVATE), Y, None, 3)
    assert len(draw(CHOSEN, once, POOL, source(0)).total) == 1


@pytest.mark.parametrize(("components", "inputs", "times"), [(39, 397, 2), (38, 397, 1), (900, 9000, 2), (30, 200, 1)])
def test_twice_where_public_inputs_limit_the_components(components, inputs, times):
    assert KernelConsensus().how_often(components, inputs) == times
    assert KernelConsensus(releases=1).how_often(components, inputs) == 1
    assert Consensus().how_often(components, inputs) == 1
