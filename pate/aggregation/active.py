"""Active selection: rounds of queries about inputs of which the student, as taught so far, is least sure.

What is asked then depends on earlier answers. Data-dependent prices hold for queries fixed in advance only, so these
answers are priced by bounds that hold for every data set (`accounting.ladder.price`, adaptive).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pate.accounting.mechanism import NO_ANSWER
from pate.progress import progress
from pate.workspace.pieces import Pieces

_CANDIDATES = 4  # times as many least sure inputs as are drawn: the very least sure may all be alike


def ask_in_rounds(
    queries: int,
    rounds: int,
    pool: int,
    answer: Callable[[int, np.ndarray], np.ndarray],
    believe: Callable[[np.ndarray, np.ndarray], np.ndarray],
    pieces: Pieces,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """What was asked and what was answered, in the order of the pool.

    `answer(round, chosen)` draws noisy answers; `believe(index, label)` is what a student taught so holds of the pool
    (inputs x classes). Rounds kept among `pieces` are not asked again.
    """
    asked, answers, kept = np.empty(0, np.int64), np.empty(0, np.int64), kept_rounds(pieces)
    with progress("rounds of queries", rounds) as advance:
        for number, count in enumerate(round_sizes(queries, rounds)):
            if number not in kept:
                known = answers != NO_ANSWER
                belief = believe(asked[known], answers[known]) if known.any() else np.zeros((pool, 2))
                chosen = least_sure(belief, asked, count, [seed, number])
                kept[number] = np.stack([chosen, answer(number, chosen)])
                pieces.save(number, kept[number])
            asked, answers = np.append(asked, kept[number][0]), np.append(answers, kept[number][1])
            advance(1)
    order = np.argsort(asked)
    return asked[order], answers[order]


def round_sizes(queries: int, rounds: int) -> list[int]:
    """As even as can be."""
    return [queries // rounds + (number < queries % rounds) for number in range(rounds)]


def kept_rounds(pieces: Pieces) -> dict[int, np.ndarray]:
    """Rounds answered before, up to the first that is missing or damaged: later ones were chosen from what it said.

    Nothing is lost with a piece: the same student asks the same again, and the ledger serves its recorded answers.
    """
    whole = {i: one for i, one in pieces.load().items() if one.dtype == np.int64 and one.ndim == 2 and len(one) == 2}
    return {number: whole[number] for number in whole if all(i in whole for i in range(number))}


def least_sure(belief: np.ndarray, asked: np.ndarray, count: int, seed: list[int]) -> np.ndarray:
    """Drawn among the inputs whose first two classes are closest, or among all that are equally so; none twice."""
    second, first = np.sort(belief, axis=1)[:, -2:].T
    margin = first - second
    margin[asked] = np.inf
    wanted = min(len(belief) - len(asked), _CANDIDATES * count)
    last = np.partition(margin, wanted - 1)[wanted - 1]
    candidates = np.flatnonzero(margin <= last)
    return np.sort(np.random.default_rng(seed).choice(candidates, size=count, replace=False))
