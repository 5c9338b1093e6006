"""What a release holds, and what may never be in one."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from pate.aggregation.labels import Labels
from pate.errors import PateError
from pate.noise import SEEDED
from pate.release.contents import contents, fingerprint
from tests.release.made_up import LABELS, STATEMENT
from tests.release.predictors import plain


@pytest.mark.parametrize(
    ("labels", "notes"),
    [(LABELS, [SEEDED]), (None, [f"x: {SEEDED}"]), (Labels(*[np.arange(2)] * 2, "", np.array(True)), [])],
)
def test_seeded_noise_may_not_leave(labels, notes):
    with pytest.raises(PateError, match="may not leave"):
        contents(plain(), labels, STATEMENT, notes)


def test_the_fingerprint_is_of_every_byte_and_word():
    files = contents(plain(), LABELS, STATEMENT)
    told = json.loads(files["manifest.json"])["files"]
    assert told == {name: hashlib.sha256(files[name]).hexdigest() for name in files if name != "manifest.json"}
    assert fingerprint(files) == hashlib.sha256(files["manifest.json"]).hexdigest()
    others = [
        contents(plain(), None, STATEMENT),
        contents(plain(), LABELS, STATEMENT, ["a note"]),
        contents(plain(), LABELS, replace(STATEMENT, data="others")),
    ]
    assert len({fingerprint(one) for one in (files, *others)}) == 4
