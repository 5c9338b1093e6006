"""What a training may spend and has spent: its plan is fixed before the first step, and no step goes beyond it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from pate.accounting import calibrate
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.guarantee import REPLACE_ONE, ZERO_OUT, Guarantee
from pate.errors import PateError
from pate.workspace.artifact import Arrays, Artifact

RELATION = "replaced-by-nothing"
ACCOUNTANT = "privacy loss distribution of Poisson-sampled Gaussians"
THEOREM = "Doroshenko et al. 2022 (dp_accounting, rounded pessimistically)"
_ALIKE = 1e-3  # relative, of noise multipliers found for one budget


@dataclass(frozen=True)
class Spent(Artifact):
    """The price of a trained model under the relation it was calibrated for, under replace-one, and by RDP beside it.

    `pca_noise` is the noise multiplier of the principal components, where the model paid for some.
    """

    noise_multiplier: float
    steps: int
    sampling_rate: float
    epsilon: float
    epsilon_replace_one: float
    epsilon_rdp: float
    delta: float
    relation: str
    pca_noise: float | None = None
    seeded: bool = False  # then it protects nobody

    def guarantee(self) -> Guarantee:
        """Under the relation it was calibrated for; it looks at no record, only at the plan."""
        return Guarantee(self.epsilon, self.delta, ZERO_OUT, False, ACCOUNTANT, THEOREM)

    def replace_one(self) -> Guarantee:
        """Of the same training, under the other relation."""
        return replace(self.guarantee(), epsilon=self.epsilon_replace_one, relation=REPLACE_ONE)

    def details(self) -> dict[str, float | None]:
        """For the results: other epsilons of the same training, and what decided its price."""
        return {
            "epsilon_replace_one": self.epsilon_replace_one,
            "epsilon_rdp": self.epsilon_rdp,  # by Renyi divergences: valid too, and more
            "noise_multiplier": self.noise_multiplier,
            "sampling_rate": self.sampling_rate,
            "steps": self.steps,
            "pca_noise": self.pca_noise,
        }


@dataclass
class Accountant:
    """A plan of `steps`, of which so many were `taken`. Its state is kept with the model's: neither goes on alone."""

    noise_multiplier: float
    sampling_rate: float
    steps: int
    delta: float
    pca_noise: float | None = None
    taken: int = 0

    def step(self) -> None:
        """Pay for one more lot, before it is drawn."""
        if self.taken >= self.steps:
            raise PateError(f"the budget is spent: {self.steps} steps were planned, and all were taken")
        self.taken += 1

    def epsilon(self, relation: str = RELATION) -> float:
        """What the steps taken so far cost."""
        steps, once = self.taken, self.pca_noise
        if steps == 0:
            return 0.0 if once is None else calibrate.epsilon(once, 1.0, 1, self.delta, relation)
        return calibrate.epsilon(self.noise_multiplier, self.sampling_rate, steps, self.delta, relation, once)

    def guarantee(self) -> Guarantee:
        """What the steps taken so far promise."""
        return Guarantee(self.epsilon(), self.delta, ZERO_OUT, False, ACCOUNTANT, THEOREM)

    def cost(self) -> Cost:
        """What the whole plan costs, as the ledger adds it up."""
        from pate.accounting import sampled_gaussian  # here, because scipy takes a second to import

        orders = np.array(ORDERS)
        rdp = self.steps * sampled_gaussian.rdp(self.sampling_rate, self.noise_multiplier, orders)
        if self.pca_noise is not None:
            rdp = rdp + orders / (2 * self.pca_noise**2)
        everything = replace(self, taken=self.steps)
        return Cost(tuple(rdp.tolist()), float("inf"), everything.epsilon(), self.delta)

    def parameters(self) -> dict[str, float | None]:
        """What decides the price."""
        return {
            "noise_multiplier": self.noise_multiplier,
            "sampling_rate": self.sampling_rate,
            "steps": self.steps,
            "pca_noise": self.pca_noise,
        }

    def spent(self, seeded: bool) -> Spent:
        """The price of what was trained with the steps taken."""
        sigma, rate = self.noise_multiplier, self.sampling_rate
        from pate.accounting import sampled_gaussian

        renyi = sampled_gaussian.renyi_after(rate, sigma, self.taken, self.delta, self.pca_noise)
        prices = (self.epsilon(), self.epsilon("replace-one"), renyi)
        return Spent(sigma, self.taken, rate, *prices, self.delta, RELATION, self.pca_noise, seeded)

    def arrays(self) -> Arrays:
        """For the checkpoint."""
        return {f"accountant.{field.name}": np.array(_number(getattr(self, field.name))) for field in fields(self)}

    @classmethod
    def of(cls, arrays: Arrays, planned: Accountant) -> Accountant:
        """Go on with what was spent: the saved plan counts, if it is one for what is now asked for.

        A newer library may price the same budget a little differently; a training keeps the plan it began with.
        """
        try:
            state = {field.name: arrays[f"accountant.{field.name}"].item() for field in fields(cls)}
        except KeyError as missing:
            raise PateError(f"the checkpoint holds no {missing}: begin again with force=[dpsgd]") from missing
        once = None if np.isnan(state["pca_noise"]) else state["pca_noise"]
        found = cls(**(state | {"pca_noise": once}))
        same = ("sampling_rate", "delta", "pca_noise")
        alike = abs(found.noise_multiplier / planned.noise_multiplier - 1) < _ALIKE and found.steps <= planned.steps
        if not alike or any(getattr(found, name) != getattr(planned, name) for name in same):
            raise PateError(f"the checkpoint is of another plan ({found}): begin again with force=[dpsgd]")
        return found


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
