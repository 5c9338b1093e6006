"""Sums over records that one of them moves by its own part and by little more, and the proof of how little.

Records i of clipped gradients t_i, |t_i| <= C, are summed; one of them is replaced by nothing. In real numbers the sum
moves by |t_i| <= C. In floating point the additions that its part goes through also round differently, and when the
others point one way that is no small matter: float32 over 60,000 records moved by 1.003 C.

What holds here (u = 2^-24; norms are over all parameters together):

1. Nothing else changes. A lot is drawn as positions, so who is replaced by nothing leaves an empty row: every kernel
   sees the same shapes, and what it makes of the other rows is the same bit for bit, as is which rows make a block.
   |t_i| <= C though its norm is rounded too: engine.MARGIN covers pieces of 128 squares, gamma_129 / 2 each for g and
   a, and five roundings of the weight and of its products, a class's weight of at most 1 among them, 8.2e-6 together.
2. A block of b rows is added up by one product, in any order, and another one in every coordinate. It is off by at most
   gamma_b sum |t_i| <= gamma_b b C, gamma_b = b u / (1 - b u) (Higham 2002, (3.5) with Theorem 3.1), with the record
   and without: gamma_b (2 b - 1) C.
3. Blocks are added in pairs, pairs in pairs. Only the additions above the record's own block differ, and each rounds by
   at most u times what it returns (Higham 2002, (2.5)): 2 u (2 b + 4 b + ... + M) C = 4 u (M - b) C for M records.
   (One after the other would be u M^2 / b C: pairs, Higham 2002, section 4.1, are why this is small.)
4. Sums over more than M records are in double precision, one more addition for each M: 2 (n / M) n 2^-53 C.
5. Where the places of a record may cancel (layers._gram), sum_l |g_l| |a_l| exceeds the norm of their sum, but not
   C / (L u) for L places, because that much is added to the norm. There blocks are in double precision, over b L
   products, and off by at most b L 2^-53 b C / (L u): 2 b^2 2^-29 C.

What these leave out is that computed sums may be longer than exact ones, by a factor of 1 + gamma_2b at most. Noise of
C (1 + rounding) in the place of C pays for all of it. Adding that noise rounds once, which is a function of the noisy
sum like everything after it. Kernels that leave the order within a record's own gradient to chance, as some of graphics
cards do, are outside of 1.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

BLOCK = 128  # b: records that one product adds up
MOST_AT_ONCE = 2048  # M: records that are added up in float32
_UNIT, _DOUBLE_UNIT = 2.0**-24, 2.0**-53  # of rounding, in float32 and in double precision


def pairwise(records: int, block: Callable[[slice], list[Tensor]], start: int = 0) -> list[Tensor]:
    """The sum over so many records, of which `block` adds up a few; where a row is added depends on its place alone."""
    if records <= BLOCK:
        return block(slice(start, start + records))
    left = BLOCK << ((records - 1) // BLOCK).bit_length() - 1
    sums = pairwise(left, block, start)
    others = pairwise(records - left, block, start + left)
    return [one.add_(other) for one, other in zip(sums, others, strict=True)]


def rounding(records: int, at_once: int) -> float:
    """By how much more than C, relative to it, one of so many records can move their sum (the proof is above)."""
    block = _gamma(BLOCK) * (2 * BLOCK - 1)
    pairs = 4 * _UNIT * (MOST_AT_ONCE - BLOCK)
    parts = 2 * -(-records // at_once) * records * _DOUBLE_UNIT
    places = 2 * BLOCK**2 * _DOUBLE_UNIT / _UNIT
    return (block + pairs + parts + places) * (1 + _gamma(2 * BLOCK))


def _gamma(additions: int) -> float:
    return additions * _UNIT / (1 - additions * _UNIT)
