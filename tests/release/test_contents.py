"""What a release holds, and what may never be in one."""

import numpy as np
import pytest

from pate.aggregation.labels import Labels
from pate.errors import PateError
from pate.noise import SEEDED
from pate.release.contents import contents
from tests.release.made_up import LABELS, STATEMENT
from tests.release.predictors import plain


@pytest.mark.parametrize(
    ("labels", "notes"),
    [(LABELS, [SEEDED]), (None, [f"x: {SEEDED}"]), (Labels(*[np.arange(2)] * 2, "", np.array(True)), [])],
)
def test_seeded_noise_may_not_leave(labels, notes):
    with pytest.raises(PateError, match="may not leave"):
        contents(plain(), labels, STATEMENT, notes)
