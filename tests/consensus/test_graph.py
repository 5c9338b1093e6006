"""The graph basis: eigenvectors of the public graph, read at neighbours, never at oneself."""

import numpy as np
import pytest

from pate.consensus.basis import Basis
from pate.consensus.graph import GraphBasis, GraphConsensus
from pate.consensus.ridge import shares
from pate.errors import ConfigError

FROZEN = {
    "epsilon": 1.0,
    "components": None,
    "clip": 8.0,
    "noise": "discrete",
    "student": "itself",
    "releases": None,
    "dimensions": 100,
    "power": 0.5,
    "neighbours": 5,
    "alpha": 0.95,
    "attached": 7,
}
rng = np.random.default_rng(0)
CENTRES = rng.normal(size=(3, 6)) * 6
PUBLIC = (CENTRES[np.arange(240) % 3] + rng.normal(size=(240, 6))).astype(np.float32)
CHOICE = GraphConsensus(components=12)
MADE = CHOICE.basis(PUBLIC, 3, 0.0)


def test_its_vectors_are_the_leading_ones_of_the_graph():
    weights = CHOICE.graph(PUBLIC, often=False).weights.toarray().astype(float)
    value, vectors = np.linalg.eigh(weights)
    value, vectors = value[::-1][:12], vectors[:, ::-1][:, :12]
    expected = vectors / np.sqrt(1 - 0.95 * value) * np.sqrt(240)
    assert np.allclose(MADE.vectors @ MADE.vectors.T, expected @ expected.T, atol=1e-3)


def test_clusters_stand_apart():
    read = MADE.read(PUBLIC)
    alike = read @ read.T
    same = np.arange(240)[:, None] % 3 == np.arange(240) % 3
    assert alike[same].mean() > alike[~same].mean() + 0.3


def test_a_public_input_is_not_its_own_neighbour():
    """Were it, moving its own vector alone would move where it stands."""
    moved = MADE.vectors.copy()
    moved[5] = -moved[5][::-1]
    other = GraphBasis(MADE.mean, MADE.directions, MADE.points, MADE.reach, moved, MADE.attached)
    assert np.array_equal(MADE.pool(PUBLIC)[5], other.pool(PUBLIC)[5])
    assert not np.array_equal(MADE.read(PUBLIC)[5], other.read(PUBLIC)[5])


def test_each_record_is_read_alone():
    records = (CENTRES[np.arange(5000) % 3] + rng.normal(size=(5000, 6))).astype(np.float32)
    together = MADE.read(records)
    changed = records.copy()
    changed[4999] = np.float32(1e18)
    with np.errstate(all="ignore"):
        other = MADE.read(changed)
    assert np.array_equal(together[:-1], other[:-1])
    assert (np.linalg.norm(other, axis=1) <= 1).all()


@pytest.mark.parametrize("record", [np.nan, np.inf, 3e38])
def test_a_hostile_record_stands_nowhere_or_within_bounds(record):
    with np.errstate(all="ignore"):
        read = MADE.read(np.full((1, 6), record, np.float32))
    assert np.isfinite(read).all()
    assert np.linalg.norm(read) <= 1


def test_its_predictor_is_the_mean_belief_of_neighbours():
    belief = shares(MADE.pool(PUBLIC) @ rng.normal(size=(12, 3)))
    model = MADE.predictor(np.zeros((12, 3)), belief, PUBLIC)
    assert np.allclose(model.proba(PUBLIC).sum(axis=1), 1, atol=1e-5)
    assert (model.predict(PUBLIC) == belief.argmax(axis=1)).mean() > 0.8


def test_more_components_than_public_inputs_are_refused():
    with pytest.raises(ConfigError, match=r"consensus\.components=240: 240 public inputs have at most 239"):
        GraphConsensus(components=240).basis(PUBLIC, 3, 0.0)


def test_the_louder_the_noise_the_fewer_directions():
    numbers = [GraphConsensus().basis(PUBLIC, 3, floor).components for floor in (0.0, 1e-4, 1e-2)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == 239
    assert numbers[-1] == 16


def test_it_comes_back_as_it_was():
    again = Basis.join(*MADE.split())
    assert isinstance(again, GraphBasis)
    assert np.array_equal(again.read(PUBLIC), MADE.read(PUBLIC))


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="attached"):
        GraphConsensus(attached=0)
