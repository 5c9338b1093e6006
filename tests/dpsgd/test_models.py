"""What DP-SGD can train: networks for images, free features, and classes that load quickly."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pate.dpsgd.models import CNN, ScatterLinear
from pate.errors import ConfigError
from pate.features.linear import LinearEncoder
from pate.models.tanhnet import TanhNet
from pate.workspace.store import Store
from tests.dpsgd.training import HOW, digits, fit, large_digits


def test_the_network_for_images_learns_them(tmp_path) -> None:
    x, y = large_digits(1797), digits()[1]
    settings = CNN(**HOW | {"lot": 256, "epochs": 15, "clip": 0.1, "learning_rate": 0.5})
    model, spent = fit(settings, x[:1500], y[:1500], epsilon=20.0, shape=(24, 24))
    assert spent.epsilon <= 20.0
    assert (model.predict(x[1500:]) == y[1500:]).mean() > 0.7
    store = Store(tmp_path)
    store.write("release", "dpsgd", "key", {"model": model}, {"seconds": 0, "notes": []})
    again = store.read("release", "dpsgd", "key", "model", TanhNet)
    np.testing.assert_array_equal(model.scores(x[:50]), again.scores(x[:50]))


def test_colours_reach_the_network_in_order() -> None:
    """The published model and the network in training read one row the same way."""
    settings = CNN(**HOW)
    rows = torch.rand(3, 20 * 17 * 3)
    image = settings.inputs(rows, (20, 17, 3))
    assert image.shape == (3, 3, 20, 17)
    np.testing.assert_array_equal(image[1, 2, 5, 6], rows.view(3, 20, 17, 3)[1, 5, 6, 2])


@pytest.mark.parametrize(("shape", "says"), [((15, 40), "at least 16 x 16"), ((64,), "needs images")])
def test_what_is_no_image_for_the_network_is_refused(shape: tuple[int, ...], says: str) -> None:
    width = int(np.prod(shape))
    with pytest.raises(ConfigError, match=says):
        fit(CNN(**HOW), np.zeros((100, width), np.float32), np.zeros(100, np.int64), shape=shape)


def test_scattering_features_are_free() -> None:
    """They depend on no record, and are those of the published model."""
    settings = ScatterLinear(**HOW, angles=4, groups=5)
    encoder = settings.encoder(LinearEncoder(low=0.0, high=1.0))
    assert (encoder.mean, encoder.components, encoder.patches) == (None, None, None)
    assert (encoder.low, encoder.high) == (0.0, 1.0)
    images = load_digits().images[:3]
    alone = np.concatenate([encoder.transform(image[None]) for image in images])
    np.testing.assert_allclose(encoder.transform(images), alone, atol=1e-6)
    with pytest.raises(ValueError, match="groups must divide"):
        ScatterLinear(**HOW, groups=26)


def test_choosing_dpsgd_does_not_load_torch() -> None:
    """The command line reads these classes to check a configuration, and must start quickly."""
    slow = "{'torch', 'dp_accounting', 'opendp', 'scipy'}"
    code = f"import sys, pate.dpsgd.models; sys.exit(sorted({slow} & set(sys.modules)) or 0)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
