"""Moments of the privacy loss of LNMax, as published (Papernot et al. 2017, section 3; Abadi et al. 2016).

alpha(l) is the logarithm of the l-th moment generating function of the privacy loss; it adds up over answers, and
Abadi's tail bound turns the total into epsilon.
"""

from __future__ import annotations

import numpy as np

from pate.accounting import conversion
from pate.accounting.guarantee import Guarantee, one_direction

ORDERS = np.arange(1, 9, dtype=float)  # the moments the paper's experiments use


def epsilon_from_moments(alpha: np.ndarray, orders: np.ndarray, delta: float) -> float:
    """Abadi et al. 2016, Theorem 2.2: epsilon = min over l of (alpha(l) + ln(1/delta)) / l."""
    return float(np.min((alpha + np.log(1 / delta)) / orders))


def independent(gamma: float, orders: np.ndarray = ORDERS) -> np.ndarray:
    """Papernot et al. 2017, Theorem 2 (from Bun & Steinke 2016, Proposition 3.3): alpha(l) <= 2 gamma^2 l (l+1)."""
    return 2 * gamma**2 * orders * (orders + 1)


def pate2017(q: np.ndarray, gamma: float, orders: np.ndarray = ORDERS) -> np.ndarray:
    """Papernot et al. 2017, Theorem 3, per answer (queries x orders), never above Theorem 2.

    `q` bounds the probability that the answer is not the plurality. The theorem asks for q < 1/(1 + exp(2 gamma));
    it bounds the moments in the direction D || D' only, so it is reported as published and never as a valid total.
    """
    bound = np.broadcast_to(independent(gamma, orders), (len(q), len(orders))).copy()
    applies = q < 1 / (1 + np.exp(2 * gamma))
    small = q[applies, None]
    # (1-q) ((1-q)/(1-e^{2g} q))^l + q e^{2 g l}, in logarithms
    stay = np.log1p(-small) * (1 + orders) - np.log1p(-np.exp(2 * gamma) * small) * orders
    with np.errstate(divide="ignore"):
        leave = np.log(small) + 2 * gamma * orders
    bound[applies] = np.minimum(bound[applies], np.logaddexp(stay, leave))
    return bound


def prices(counts: np.ndarray, gamma: float, noise: str, delta: float) -> list[Guarantee]:
    """Theorem 3 on these votes: by the paper's moments, and at all orders, where no loss exceeds 2 gamma."""
    q, orders = plurality_loses(counts, gamma, noise), conversion.ORDERS
    few = epsilon_from_moments(pate2017(q, gamma).sum(axis=0), ORDERS, delta)
    each = pate2017(q, gamma, orders - 1) / (orders - 1)
    many = conversion.epsilon(np.minimum(each, 2 * gamma).sum(axis=0), orders, delta)
    return one_direction("pate2017", few, many, delta, "Papernot et al. 2017, Thm 3")


def plurality_loses(counts: np.ndarray, gamma: float, noise: str) -> np.ndarray:
    """An upper bound on Pr[answer is not the plurality] for each row of counts, by a union bound over the others."""
    gaps = np.sort(counts.max(axis=1, keepdims=True) - counts, axis=1)[:, 1:].astype(float)
    tail = _laplace_tail if noise == "continuous" else _discrete_tail
    return np.minimum(tail(gaps, gamma).sum(axis=1), 1 - 1 / counts.shape[1])


def _laplace_tail(gap: np.ndarray, gamma: float) -> np.ndarray:
    """Pr[difference of two Lap(1/gamma) > gap] = (2 + gamma gap) / (4 exp(gamma gap)) (the paper's Lemma 4)."""
    return (2 + gamma * gap) / 4 * np.exp(-gamma * gap)


def _discrete_tail(gap: np.ndarray, gamma: float) -> np.ndarray:
    """The same for two-sided geometric noise with ties broken by a fair coin.

    With t = exp(-gamma), Pr[D = k] = ((1-t)/(1+t))^2 t^k (k + (1+t^2)/(1-t^2)) for k >= 0; summing k > gap gives
    the tail, to which half of Pr[D = gap] is added.
    """
    t = np.exp(-gamma)
    point = (1 - t) ** 2 / (1 + t) ** 2 * t**gap
    centre = (1 + t**2) / (1 - t**2)
    beyond = point * t * ((gap + 1 + centre) / (1 - t) + t / (1 - t) ** 2)
    return beyond + point * (gap + centre) / 2
