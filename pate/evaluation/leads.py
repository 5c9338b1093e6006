"""How sure a score is, and a lead: models answer the same test inputs, so what is hard for both is no difference.

A metric that is a mean over inputs has an exact standard error, and a paired t-test; where each input is right or
wrong, an exact sign test (McNemar 1947). Any other is looked at in resamples of the inputs, the same for every model (a
paired bootstrap, Efron & Tibshirani 1993), and its chance is that of a normal law.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pate.evaluation.metrics import Metric, Question, metrics

RESAMPLES = 200
_FEWEST = 5  # test inputs of a class, for an error of what is a mean over classes
_AT_ONCE = 2e7  # inputs times resamples


@dataclass(frozen=True)
class Lead:
    """By how much one model is better than another on the test set, by one metric; `chance` is how likely a difference
    as large, either way, were there none. A positive one is better, also where less of the metric is."""

    by: float
    error: float | None = None
    chance: float | None = None

    def turned(self) -> Lead:
        """As the other one sees it."""
        return Lead(-self.by, self.error, self.chance)


Errors = dict[str, dict[str, float]]  # model, metric
Leads = dict[str, dict[str, dict[str, Lead]]]  # model, the other one, metric


def leads(
    beliefs: Mapping[str, np.ndarray],
    truth: np.ndarray,
    asked: Question | None = None,
    answers: Mapping[str, np.ndarray] | None = None,
) -> tuple[Errors, Leads]:
    """Standard errors of every metric of every model, and what each leads each other by, where two inputs are known.
    `answers` are those of models that do not answer the most probable class."""
    errors: Errors = {name: {} for name in beliefs}
    found: Leads = {one: {other: {} for other in beliefs if other != one} for one in beliefs}
    if len(truth) < 2:
        return errors, found
    drawn = list(_resamples(len(truth)))
    for measure in metrics().values():
        taken = {}
        for name, belief in beliefs.items():
            sample = _sample(measure, belief, truth, asked or Question(), drawn, (answers or {}).get(name))
            if sample is not None:
                taken[name] = sample
        for name, sample in taken.items():
            if (error := sample.error) is not None:
                errors[name][measure.name] = error
        sign, names = 1 if measure.better == "higher" else -1, list(taken)
        for at, one in enumerate(names):
            for other in names[at + 1 :]:
                lead = taken[one].lead(taken[other], sign)
                found[one][other][measure.name], found[other][one][measure.name] = lead, lead.turned()
    return errors, found


@dataclass(frozen=True)
class _Sample:
    """A metric of one model: for each input, whose mean it is, or in each resample."""

    value: float
    each: np.ndarray | None
    drawn: np.ndarray

    @property
    def error(self) -> float | None:
        if self.each is not None:
            return float(self.each.std() / math.sqrt(len(self.each)))
        return _spread(self.drawn)

    def lead(self, other: _Sample, sign: int) -> Lead:
        by = sign * (self.value - other.value)
        if self.each is None or other.each is None:
            error = _spread(self.drawn - other.drawn)
            return Lead(by, error, None if error is None else _beyond(by, error))
        difference = self.each - other.each
        error = float(difference.std(ddof=1) / math.sqrt(len(difference)))
        if set(np.unique(self.each)) | set(np.unique(other.each)) <= {0.0, 1.0}:
            return Lead(by, error, _uneven(difference))
        return Lead(by, error, _beyond(by, error, len(difference) - 1))


def _sample(
    measure: Metric,
    belief: np.ndarray,
    truth: np.ndarray,
    asked: Question,
    drawn: list[np.ndarray],
    answer: np.ndarray | None,
) -> _Sample | None:
    """None where the metric has no meaning."""
    value = measure(belief, truth, asked, answer)
    if value is None:
        return None
    raw = np.asarray(measure.raw(belief, truth, asked, answer), float)
    if raw.shape == truth.shape and not measure.takes_counts:
        return _Sample(value, raw, np.empty(0))
    if np.unique(truth, return_counts=True)[1].min() < _FEWEST:  # resamples would call sure what hangs on one input
        return _Sample(value, None, np.empty(0))
    sampled = [measure.resampled(belief, truth, one, asked, answer) for one in drawn]
    return _Sample(value, None, np.concatenate(sampled))


def _resamples(inputs: int) -> Iterator[np.ndarray]:
    """How often each input is drawn: inputs x resamples, the same for every model and in every run."""
    rng, many = np.random.default_rng(0), max(1, min(RESAMPLES, int(_AT_ONCE / inputs)))
    for first in range(0, RESAMPLES, many):
        columns = range(first, min(first + many, RESAMPLES))
        drawn = [np.bincount(rng.integers(0, inputs, inputs), minlength=inputs) for _ in columns]
        yield np.stack(drawn, axis=1).astype(np.float32)


def _spread(drawn: np.ndarray) -> float | None:
    """Resamples in which it has no meaning are left out."""
    known = drawn[~np.isnan(drawn)]
    return float(known.std(ddof=1)) if len(known) > 1 else None


def _beyond(by: float, error: float, freedom: float = math.inf) -> float:
    """How likely a lead of this size is, either way, if there is none; of a t law, which without end is normal."""
    from scipy.stats import t

    if error == 0:
        return 1.0 if by == 0 else 0.0
    return float(2 * t.sf(abs(by) / error, freedom))


def _uneven(difference: np.ndarray) -> float:
    """How likely so uneven a split is of the inputs on which just one is right (an exact sign test)."""
    from scipy.stats import binomtest

    better, differ = int((difference > 0).sum()), int((difference != 0).sum())
    return float(binomtest(better, differ).pvalue) if differ else 1.0
