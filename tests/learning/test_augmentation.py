"""Images moved a little: by no more than was said, and not at all where nothing was."""

import numpy as np
import torch
from sklearn.datasets import load_digits

from pate.learning.augmentation import moved


def test_images_that_are_not_moved_stay():
    x = torch.from_numpy(load_digits().images[:10].astype(np.float32) / 16)[:, None]
    generator = torch.Generator().manual_seed(0)
    torch.testing.assert_close(moved(x, generator, 0, 0, 0, 0, False), x)
    mirrored = moved(x, generator, 0, 0, 0, 0, True)
    either = [torch.allclose(one, x[i], atol=1e-6) or torch.allclose(one, x[i].flip(2), atol=1e-6)
              for i, one in enumerate(mirrored)]  # fmt: skip
    assert all(either)
    assert not torch.allclose(mirrored, x)


def test_a_shift_is_a_share_of_the_side():
    x = torch.zeros(400, 1, 20, 20)
    x[:, :, 10, 10] = 1
    there = moved(x, torch.Generator().manual_seed(0), 0.1, 0, 0, 0, False).sum(dim=1)
    where = (there * torch.arange(20)).sum(dim=(1, 2)) - 10
    assert 1.8 < where.abs().max() <= 2.001
