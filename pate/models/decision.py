"""A decision: which class a model answers, given its probabilities. Without one, the most probable.

It is made of what was released and of public inputs, so it is post-processing and costs nothing; the probabilities stay
what they are. Where classes are rare, the most probable class finds hardly any of them. What maximises balanced
accuracy is the class whose probability is largest beside its share (Menon et al. 2021), of which a model itself tells
one: its mean probability over the inputs. For two classes that is right even of labels that are wrong at random, as
balanced error is minimised at the same inputs with and without them (Menon et al. 2015). A threshold of one named class
goes before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

BALANCED_ACCURACY, F1 = "balanced_accuracy", "f1"
BEST_FOR = (BALANCED_ACCURACY, F1)
PRIORS = "the declared priors"
_LEAST = 1e-6  # a share below which a class is no rarer: its weight is bounded


@dataclass(frozen=True)
class Decision:
    """Answers the class of the largest probability over `shares`; but `positive`, where there is one, wherever its own
    probability is at least `threshold`, and nowhere else. `source` says what the shares or the threshold came from."""

    shares: list[float] | None = None
    positive: int | None = None
    threshold: float | None = None
    source: str = ""

    def answers(self, belief: np.ndarray) -> np.ndarray:
        """One class for each row of probabilities; of equal ones the first."""
        weighted = belief.astype(np.float32) * self._weights(belief.shape[1])
        if self.positive is None:
            return np.asarray(weighted.argmax(axis=1), dtype=np.int64)
        weighted[:, self.positive] = -1
        taken = belief[:, self.positive] >= np.float32(self.threshold)
        return np.where(taken, self.positive, weighted.argmax(axis=1)).astype(np.int64)

    def to_onnx(self, graph: OnnxGraph, belief: str, classes: int) -> str:
        """The same of the probabilities' name."""
        weighted = graph("Mul", belief, self._weights(classes))
        if self.positive is None:
            return graph("ArgMax", weighted, axis=1, keepdims=0)
        others = np.arange(classes) != self.positive
        weighted = graph("Where", others, weighted, np.float32(-1))
        own = graph("Gather", belief, np.int64(self.positive), axis=1)
        taken = graph("GreaterOrEqual", own, np.float32(self.threshold))
        return graph("Where", taken, np.int64(self.positive), graph("ArgMax", weighted, axis=1, keepdims=0))

    def _weights(self, classes: int) -> np.ndarray:
        shares = np.ones(classes) if self.shares is None else np.array(self.shares)
        return (shares.min() / shares).astype(np.float32)

    def told(self, classes: Sequence[str]) -> str:
        """In words, for the model card."""
        said = []
        if self.positive is not None:
            name = classes[self.positive]
            said.append(f"`{name}` is answered wherever its probability is at least {self.threshold:.4g}")
        if self.shares is not None and (self.positive is None or len(classes) > 2):
            each = ", ".join(f"`{name}` {share:.3g}" for name, share in zip(classes, self.shares, strict=True))
            said.append(f"the largest probability beside the share of its class is answered ({each})")
        source = f", {'both' if len(said) > 1 else 'that is'} from {self.source}" if self.source else ""
        return "; otherwise ".join(said) + source

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, facts: Any, classes: int) -> Decision | None:
        """As it stands in a file, which may come from anybody."""
        if facts is None:
            return None
        kinds = {"shares": list[float] | None, "positive": int | None, "threshold": float | None, "source": str}
        if not isinstance(facts, dict) or facts.keys() != kinds.keys():
            raise Unreadable("holds a decision that is none")
        if not all(fits(facts[name], kind) for name, kind in kinds.items()):
            raise Unreadable("holds a decision that is none")
        found = cls(**facts)
        shares, positive, threshold = found.shares, found.positive, found.threshold
        if shares is not None and (
            len(shares) != classes or not all(math.isfinite(one) and one >= _LEAST / 2 for one in shares)
        ):
            raise Unreadable("holds a decision by shares that are none")
        if (positive is None) != (threshold is None) or (positive is not None and not 0 <= positive < classes):
            raise Unreadable("holds a decision about a class that is none")
        if (threshold is not None and not 0 < threshold < 1) or not found.source.isprintable():
            raise Unreadable("holds a decision that is none")
        return found


@dataclass(frozen=True)
class Deciding:
    """How a run's models are to decide. `declared` are the classes' shares that were declared: they stand in where
    there is no input to believe anything of."""

    balanced: bool = False
    positive: str | None = None
    threshold: float | str | None = None  # a number, or what it is to be best for
    declared: Mapping[str, float] = field(default_factory=dict)

    @property
    def asked(self) -> bool:
        """Whether anything but the most probable class is to be answered."""
        return self.balanced or self.positive is not None

    def decision(self, belief: np.ndarray, classes: Sequence[str], over: str = "the public inputs") -> Decision | None:
        """By what a model believes of these inputs, `over` which its probabilities are averaged; no label is looked
        at."""
        if not self.asked:
            return None
        source = f"the model's own probabilities over {over}"
        if len(belief):
            shares = np.maximum(belief.mean(axis=0, dtype=np.float64), 1 / len(belief))
        elif self.declared:
            shares, source = np.array([self.declared[name] for name in classes]), PRIORS
        elif self.balanced or isinstance(self.threshold, str):
            return None
        else:
            shares = np.ones(len(classes))
        kept = [float(one) for one in np.maximum(shares, _LEAST)] if self.balanced else None
        if self.positive is None:
            return Decision(kept, source=source)
        place = list(classes).index(self.positive)
        if not isinstance(self.threshold, str):
            return Decision(kept, place, self.threshold, source if kept and len(classes) > 2 else "")
        if self.threshold == F1 and not len(belief):
            return Decision(kept, source=source) if kept else None
        found = float(shares[place]) if self.threshold == BALANCED_ACCURACY else best_for_f1(belief[:, place])
        return Decision(kept, place, min(max(found, _LEAST), 1 - _LEAST), source)


def best_for_f1(belief: np.ndarray) -> float:
    """The probability from which on to answer a class so that F1, with counts in the place of which stands what is to
    be expected if these probabilities are right, is largest (Lipton et al. 2014)."""
    ranked = -np.sort(-belief.astype(np.float64))
    found = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + ranked.sum())
    last = np.append(ranked[:-1] > ranked[1:], True)  # equal ones fall on the same side
    return float(ranked[np.where(last, found, -1).argmax()])
