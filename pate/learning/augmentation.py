"""Images moved a little, each in its own way: what they show stays what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def moved(
    images: torch.Tensor, generator: torch.Generator, shift: float, turn: float, zoom: float, shear: float, flip: bool
) -> torch.Tensor:
    """Shifted by up to `shift` of their sides, turned by up to `turn` radians, sheared, enlarged by up to exp(zoom).

    All in one bilinear step (Jaderberg et al. 2015); what comes in from outside is black. `flip` mirrors one in two.
    """
    import torch
    from torch.nn.functional import affine_grid, grid_sample

    def within(most: float) -> torch.Tensor:
        return (torch.rand(len(images), generator=generator) * 2 - 1) * most

    angle, size, slant = within(turn), torch.exp(within(zoom)), within(shear)
    right, down = within(2 * shift), within(2 * shift)  # the grid's sides are 2 long
    side = torch.where(torch.rand(len(images), generator=generator) < 0.5 * flip, -1.0, 1.0)
    cos, sin = torch.cos(angle) * size, torch.sin(angle) * size
    rows = [torch.stack([cos * side, slant - sin, right], 1), torch.stack([sin * side, cos, down], 1)]
    grid = affine_grid(torch.stack(rows, 1), list(images.shape), align_corners=False)
    return grid_sample(images, grid, align_corners=False).contiguous(memory_format=torch.channels_last)
