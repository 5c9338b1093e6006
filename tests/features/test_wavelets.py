"""The scattering transform against direct convolutions in space, and against what kymatio 0.3.0 printed."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.features.wavelets import scattering, scattering_batches, scattering_of_views, scattering_shape
from tests.features.in_space import in_space

DIGITS = np.random.default_rng(0).integers(0, 256, size=(20, 28, 28), dtype=np.uint8)


@pytest.mark.parametrize(
    ("shape", "scales", "angles"),
    [
        ((28, 28), 2, 8),
        ((12, 20), 2, 8),
        ((8, 8), 3, 8),
        ((4, 4), 2, 4),
        ((28, 28), 3, 4),
        ((17, 26), 3, 5),
        ((28, 28), 1, 8),
        ((9, 10), 1, 3),
        ((15, 14), 2, 1),
        ((32, 32, 3), 2, 4),
        ((8, 11, 2), 2, 6),
    ],
)
def test_agrees_with_convolutions_in_space(shape, scales, angles):
    image = np.random.default_rng(sum(shape)).random(shape)
    colours = image[..., None] if image.ndim == 2 else image
    expected = np.concatenate([in_space(colour, scales, angles) for colour in np.moveaxis(colours, 2, 0)])
    found = scattering(image[None], scales, angles)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=3e-7)


def test_agrees_with_kymatio():
    """Which takes pi for 3.1415, hence the tolerance."""
    i, j = np.indices((12, 20))
    image = (3 * i * i + 5 * j + i * j) % 17 / 16
    two = [
        0.4856945565,
        0.1071385894,
        0.0471968259,
        0.0085169438,
        0.0437485518,
        0.0149987007,
        0.0037070200,
        0.0194411708,
    ]
    found = scattering(image[None], scales=2)[0, [0, 1, 6, 13, 16, 17, 40, 80], 0, -1]
    np.testing.assert_allclose(found, two, rtol=1e-4)
    three = [
        0.4875972659,
        0.0920099708,
        0.0285569903,
        0.0022439353,
        0.0101765351,
        0.0049720696,
        0.0030392036,
        0.0032074058,
    ]
    found = scattering(image[None], scales=3)[0, [0, 1, 9, 20, 25, 41, 100, 216], 0, -1]
    np.testing.assert_allclose(found, three, rtol=1e-4)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from([(), (1,), (3,)]),
    st.data(),
)
def test_every_permitted_shape_has_coefficients(scales, angles, more_rows, more_columns, colours, data):
    shape = (2**scales + more_rows, 2**scales + more_columns, *colours)
    n = data.draw(st.integers(0, 3))
    found = scattering(np.random.default_rng(n).random((n, *shape)), scales, angles, batch=2)
    paths = 1 + scales * angles + angles**2 * math.comb(scales, 2)
    assert found.shape == (n, math.prod(colours) * paths, shape[0] // 2**scales, shape[1] // 2**scales)
    assert found.shape[1:] == scattering_shape(shape, scales, angles)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


def test_digits_have_the_81_by_7_by_7_coefficients_of_the_literature():
    assert scattering(DIGITS).shape == (20, 81, 7, 7)
    assert scattering(np.zeros((2, 32, 32, 3), np.uint8)).shape == (2, 243, 8, 8)


@given(st.floats(-5, 5), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_a_flat_image_has_its_value_and_no_waves(value, scales):
    found = scattering(np.full((1, 16, 12), value), scales)[0]
    np.testing.assert_allclose(found[0], value, rtol=1e-4, atol=1e-6)  # a sampled Gaussian sums to 1 + 1e-5
    np.testing.assert_allclose(found[1:], 0, atol=1e-5)


def test_waves_scale_with_contrast_and_ignore_its_sign():
    images = DIGITS[:4] / 255
    once, negative = scattering(images), scattering(-3 * images)
    np.testing.assert_allclose(negative[:, 0], -3 * once[:, 0], rtol=1e-5)
    np.testing.assert_allclose(negative[:, 1:], 3 * once[:, 1:], rtol=1e-4, atol=1e-6)


def test_a_transposed_image_has_transposed_maps_at_mirrored_angles():
    found, turned = scattering(DIGITS[:3]), scattering(DIGITS[:3].transpose(0, 2, 1)).swapaxes(2, 3)
    mirrored = (2 - np.arange(8)) % 8
    np.testing.assert_allclose(turned[:, 0], found[:, 0], atol=1e-6)
    first, second = (
        (maps[:, 1:17].reshape(3, 2, 8, 7, 7), maps[:, 17:].reshape(3, 8, 8, 7, 7)) for maps in (found, turned)
    )
    np.testing.assert_allclose(second[0][:, :, mirrored], first[0], atol=1e-6)
    np.testing.assert_allclose(second[1][:, mirrored][:, :, mirrored], first[1], atol=1e-6)


def test_a_shift_moves_the_coefficients_less_than_the_pixels_and_the_less_the_more_scales():
    i, j = np.indices((32, 32))
    stroke = ((abs(i - 16) < 8) & (abs(j - 16) < 2)).astype(float)
    shifted = np.roll(stroke, 1, axis=1)
    moved = [np.linalg.norm(shifted - stroke) / np.linalg.norm(stroke)]
    for scales in (1, 2, 3):
        before, after = scattering(stroke[None], scales), scattering(shifted[None], scales)
        moved.append(np.linalg.norm(after - before) / np.linalg.norm(before))
    assert moved == sorted(moved, reverse=True)
    assert moved[-1] < moved[0] / 5


def test_a_wave_answers_at_its_own_scale_and_angle():
    i, j = np.indices((32, 32))
    for scale in range(2):
        for turn in range(8):
            theta = (3 - turn) * math.pi / 8
            wave = np.cos(0.75 * math.pi / 2**scale * (math.cos(theta) * i + math.sin(theta) * j))
            assert scattering(wave[None])[0, 1:17].mean(axis=(1, 2)).argmax() == 8 * scale + turn


def test_no_record_reaches_another_ones_coefficients():
    """Bit for bit: whoever replaces the others, even by what is not a number, changes nothing here."""
    images = (DIGITS / 255).astype(np.float32)
    alone = scattering(images, batch=8)
    for kept in (0, 7, 13, 19):
        for other in (0, 1e30, np.nan):
            others = np.full_like(images, other)
            others[kept] = images[kept]
            np.testing.assert_array_equal(scattering(others, batch=8)[kept], alone[kept])


def test_threads_and_batches_change_nothing():
    expected = scattering(DIGITS, batch=3)
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            np.testing.assert_array_equal(scattering(DIGITS, batch=3), expected)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_allclose(scattering(DIGITS, batch=64), expected, rtol=1e-5, atol=1e-7)


def test_batches_come_in_order_and_may_be_left_early():
    blocks = list(scattering_batches(DIGITS, batch=6))
    assert [len(block) for block in blocks] == [6, 6, 6, 2]
    np.testing.assert_array_equal(np.concatenate(blocks)[:, 0], scattering(DIGITS, batch=6))
    threads = torch.get_num_threads()
    started = scattering_batches(DIGITS, batch=2)
    next(started)
    started.close()  # type: ignore[attr-defined]
    assert torch.get_num_threads() == threads


def test_bytes_are_brought_to_the_unit_interval_and_inputs_are_left_alone():
    images = DIGITS[:, ::-1, ::2]  # neither contiguous nor square
    kept = images.copy()
    np.testing.assert_allclose(scattering(images), scattering(images / 255), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(images, kept)


def test_what_has_no_coefficients_is_refused_at_the_call():
    with pytest.raises(ValueError, match="needs 8 pixels a side, got 7 x 28"):
        scattering_batches(np.zeros((1, 7, 28)), scales=3)
    with pytest.raises(ValueError, match="H x W or H x W x C"):
        scattering(np.zeros((5, 784)))
    with pytest.raises(ValueError, match="at least one scale"):
        scattering(DIGITS, scales=0)
    with pytest.raises(ValueError, match="at least one scale"):
        scattering(DIGITS, angles=0)
    with pytest.raises(ValueError, match="batches of at least one"):
        scattering(DIGITS, batch=0)


@pytest.mark.parametrize("shape", [(28, 28), (32, 32, 3), (17, 20), (20, 17), (16, 19)])
@pytest.mark.parametrize(("scales", "angles"), [(1, 4), (2, 8), (2, 5), (3, 1), (3, 6)])
def test_the_mirror_image_is_seen_as_if_it_had_been_given(shape, scales, angles):
    images = np.random.default_rng(0).random((3, *shape)).astype(np.float32)
    found = scattering_of_views(images, scales, angles, batch=2)
    for view, seen in enumerate((images, images[:, :, ::-1])):
        np.testing.assert_allclose(found[:, view], scattering(seen, scales, angles), rtol=1e-4, atol=2e-6)
