"""What each accountant does, in a line: said wherever accountants are listed, on the page, in the terminal, in docs."""

from __future__ import annotations

from collections.abc import Iterable

EXPLAINED = {
    "basic": "adds up the price of every answer, whatever the votes",
    "advanced": "lets the price grow with the root of the number of answers, for a share of delta; whatever the votes",
    "moments_independent": "adds up moments (Renyi divergences) of the noise and converts once; whatever the votes",
    "optimal_independent": "the smallest epsilon that so many steps of this noise can have; whatever the votes",
    "argmax_independent": "a certified bound: only the winner is told, and not the counts; whatever the votes",
    "pate2017": "the paper's bound for teachers that agree, at the paper's orders; one direction only",
    "pate2017_optimal": "the bound of pate2017 at every order, converted more tightly; one direction only",
    "gnmax2018": "the paper's bound for teachers that agree, Gaussian noise, at the paper's orders; one direction only",
    "gnmax2018_optimal": "the bound of gnmax2018 at every order, converted more tightly; one direction only",
    "exact_rdp": "computes the chance of every answer on these votes, and adds up exact Renyi divergences",
    "exact_pld": "computes the same chances, and convolves whole loss distributions; often the tighter one",
    "teacher_resolved": "the exact law, following each teacher: a record moves its own teacher's votes, and no others",
    "gnmax2018, sanitised": "the paper's price on these votes with noise of its own, so that it may be published",
    "gaussian_sum": "the exact price of one sum of bounded answers with Gaussian noise; whatever the records",
    "laplace_counts": "the price of counts of clusters with Laplace noise, delta 0; whatever the records",
    "privacy loss distribution of Poisson-sampled Gaussians": "convolves the loss of every step, each on a random lot",
}


def explained(accountant: str, theorem: str) -> str:
    """The line; of another package's accountant nothing more is known than by which theorem it goes."""
    return EXPLAINED.get(accountant, theorem)


def listed(several: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each of these accountants once (given with its theorem), with its line."""
    return list({name: (name, explained(name, theorem)) for name, theorem in several}.values())
