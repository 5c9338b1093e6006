"""Other epsilons: the same bases as if each had been asked for alone, cut out of one."""

import numpy as np
import pytest

from pate.consensus.basis import Basis
from pate.consensus.clusters import ClusterConsensus
from pate.consensus.graph import GraphConsensus
from pate.consensus.kernel import KernelConsensus
from pate.consensus.levels import beliefs, leading, levels
from pate.noise import source

RNG = np.random.default_rng(0)
POOL = (RNG.normal(size=(400, 6)) + 3 * RNG.integers(3, size=(400, 1))).astype(np.float32)
KINDS = [KernelConsensus(), GraphConsensus(), ClusterConsensus(components=20, votes=2)]


@pytest.mark.parametrize("consensus", KINDS, ids=lambda one: one.kind)
def test_each_is_what_it_would_be_alone(consensus):
    basis, found = levels(consensus, POOL, 3, 5000, 1e-5, None, 0.3)
    assert [one.epsilon for one in found] == [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0]
    places = basis.read(POOL[:30] + 0.1)
    for level in found:
        alone: Basis = consensus.basis(POOL, 3, level.plan.floor(5000, 3))
        assert level.components == alone.components
        assert np.allclose(leading(places, level.components), alone.read(POOL[:30] + 0.1), atol=1e-6)
        assert level.plan.guarantees()[0].epsilon == pytest.approx(level.epsilon, rel=1e-4)


def test_the_more_noise_the_fewer_components():
    counts = [one.components for one in levels(KernelConsensus(), POOL, 3, 5000, 1e-5, None, 1.0)[1]]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_declared_components_stay():
    basis, found = levels(KernelConsensus(components=7), POOL, 3, 5000, 1e-5, None, 1.0)
    assert {one.components for one in found} == {basis.components} == {7}


def test_an_epsilon_that_no_noise_fits_is_left_out_unless_it_is_asked_for():
    found = levels(KernelConsensus(), POOL, 3, 5000, 1e-5, None, 1.0, [0.5, 1e9])[1]
    assert [one.epsilon for one in found] == [0.5, 1.0]
    with pytest.raises(ValueError, match="epsilon"):
        levels(KernelConsensus(), POOL, 3, 5000, 1e-5, None, 1e9)


def test_a_simulated_draw_is_the_mechanisms():
    """Without a signal, beliefs of a public input say each class equally often."""
    consensus = KernelConsensus()
    basis, found = levels(consensus, POOL, 3, 1000, 1e-5, None, 1.0, [])
    total = np.zeros((basis.components, 3), np.int64)
    said = [beliefs(consensus, basis.pool(POOL), total, 1000, found[0].plan, source(0).at(k)) for k in range(60)]
    assert np.allclose(np.mean(said, axis=(0, 1)), 1 / 3, atol=0.05)
    assert np.std(said) > 0
