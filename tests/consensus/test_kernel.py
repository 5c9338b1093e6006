"""The kernel basis: what it computes, that it sees public inputs only, and that it reads every record alone."""

import numpy as np
import pytest

from pate.consensus.basis import Basis
from pate.consensus.kernel import KernelBasis, KernelConsensus
from pate.consensus.ridge import shares
from pate.errors import ConfigError

FROZEN = {
    "epsilon": 1.0,
    "components": None,
    "clip": 8.0,
    "noise": "discrete",
    "student": "itself",
    "releases": None,
    "gamma": 1.0,
    "whitening": 0.5,
    "landmarks": 3000,
}
rng = np.random.default_rng(0)
PUBLIC = rng.normal(size=(300, 5)).astype(np.float32)
MADE = KernelConsensus(components=20).basis(PUBLIC, 3, 0.0)


def test_its_directions_are_principal_axes_in_the_kernels_space():
    """With every public input a landmark, phi before it is brought to length 1 is kernel PCA."""
    whole = KernelConsensus(components=10, whitening=0.0).basis(PUBLIC, 3, 0.0)
    scaled = PUBLIC.astype(float) * whole.scale
    kernel = np.exp(-((scaled[:, None] - scaled[None]) ** 2).sum(axis=2))
    spread, vectors = np.linalg.eigh(kernel)
    expected = (vectors * np.sqrt(np.maximum(spread, 0)))[:, ::-1][:, :10]
    raw = np.exp(-((scaled[:, None] - whole.landmarks.astype(float)[None]) ** 2).sum(axis=2)) @ whole.axes
    assert np.allclose(raw @ raw.T, expected @ expected.T, atol=1e-4)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    assert np.allclose(whole.read(PUBLIC), unit, atol=1e-5)


def test_whitening_brings_directions_nearer_to_each_other():
    spread = [
        np.ptp(
            np.log((KernelConsensus(components=20, whitening=q).basis(PUBLIC, 3, 0.0).read(PUBLIC) ** 2).mean(axis=0))
        )
        for q in (0.0, 0.5, 1.0)
    ]
    assert spread[0] > spread[1] > spread[2]


def test_each_record_is_read_alone():
    records = rng.normal(size=(5000, 5)).astype(np.float32)
    together = MADE.read(records)
    changed = records.copy()
    changed[17] = np.float32(1e30)
    with np.errstate(all="ignore"):
        other = MADE.read(changed)
    rest = np.arange(5000) != 17
    assert np.array_equal(together[rest], other[rest])  # to the last bit
    assert (np.linalg.norm(together, axis=1) <= 1).all()


@pytest.mark.parametrize("record", [np.nan, np.inf, 1e38, 0.0])
def test_a_hostile_record_stands_somewhere_of_length_at_most_one_or_nowhere(record):
    with np.errstate(all="ignore"):
        read = MADE.read(np.full((1, 5), record, np.float32))
    assert np.isfinite(read).all()
    assert np.linalg.norm(read) <= 1


def test_one_exactly_on_a_landmark_is_no_longer_than_others():
    assert np.linalg.norm(MADE.read(PUBLIC[:1])) <= 1


def test_the_louder_the_noise_the_fewer_directions():
    numbers = [KernelConsensus().basis(PUBLIC, 3, floor).components for floor in (0.0, 1e-5, 1e-4)]
    assert numbers[0] == 30  # a tenth of the public inputs
    assert numbers[0] >= numbers[1] >= numbers[2] >= 9


def test_more_components_than_public_inputs_are_refused():
    with pytest.raises(ConfigError, match=r"consensus\.components=301: 300 public inputs"):
        KernelConsensus(components=301).basis(PUBLIC, 3, 0.0)


def test_its_predictor_says_what_the_basis_says():
    weights = rng.normal(size=(20, 3))
    scores = MADE.read(PUBLIC) @ weights
    model = MADE.predictor(weights, shares(scores), PUBLIC)
    assert (model.predict(PUBLIC) == scores.argmax(axis=1)).mean() > 0.999
    assert model.proba(PUBLIC).max(axis=1).mean() == pytest.approx(shares(scores).max(axis=1).mean(), abs=0.1)


def test_it_comes_back_as_it_was():
    again = Basis.join(*MADE.split())
    assert isinstance(again, KernelBasis)
    assert np.array_equal(again.read(PUBLIC), MADE.read(PUBLIC))


@pytest.mark.parametrize("wrong", [{"gamma": 0.0}, {"whitening": 1.5}, {"landmarks": 0}])
def test_nonsense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        KernelConsensus(**wrong)
