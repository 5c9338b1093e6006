"""Which models a file may name, and what reading one needs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pate.models.classifier import Classifier
from pate.models.kernel_machine import KernelMachine
from pate.models.model import Model


def test_a_model_of_numpy_alone_is_read_without_torch(tmp_path):
    code = (
        "import sys; from pate.models.model import Model; import numpy as np; one = np.ones((2, 3), np.float32); "
        "layers = {'layers.0.weight': one, 'layers.0.bias': one[:, 0]}; "
        "Model.join(layers, {'kind': 'Classifier', 'activation': 'none'}); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_kind_from_a_file_is_looked_up_and_never_imported():
    before = set(sys.modules)
    for kind in ("antigravity", "this.s", "os.system", "Predictor", "model", "", None, 3, {}):
        with pytest.raises(ValueError, match="a model of an unknown kind"):
            Model.join({}, {"kind": kind})
    assert not {"antigravity", "this"} & (set(sys.modules) - before)


def test_every_model_of_ours_stands_in_the_module_of_its_kind():
    for file in Path("pate/models").glob("*.py"):
        for line in file.read_text().splitlines():
            if line.startswith("    kind: ClassVar[str] = ") and '""' not in line:
                assert line.split('"')[1].lower() == file.stem.replace("_", "")


def test_a_file_of_another_kind_is_refused():
    rng = np.random.default_rng(0)
    arrays, facts = KernelMachine.fit(rng.random((20, 5)), rng.random((20, 3)), 0.1, 0.05).split()
    with pytest.raises(ValueError, match="a model of kind KernelMachine where a Classifier was expected"):
        Classifier.join(arrays, facts)
    with pytest.raises(ValueError, match="a model of an unknown kind"):
        KernelMachine.join(arrays, facts | {"kind": "Pickle"})
