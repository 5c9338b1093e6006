"""Three stages to run in every way: a -> b (draws noise) -> c."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from pate.accounting.filter import ORDERS, Cost
from pate.ledger.ledger import Budget, Release
from pate.settings import BudgetConfig, NoiseConfig
from pate.workspace.artifact import Artifact
from pate.workspace.runner import Runner
from pate.workspace.stage import Pipeline, owned, releasable, stage
from pate.workspace.store import Store


@dataclass(frozen=True)
class Number(Artifact):
    value: np.ndarray


RELEASE = Release("test", "test noise", {}, "one record replaced by nothing", Cost((1.0,) * len(ORDERS), 1.0, 1.0, 0.0))
A, B, C = owned("a", Number), releasable("b", Number), releasable("c", Number)


@dataclass(frozen=True)
class Own:
    free: int = 0
    bound: int = 0


class Flow:
    """Three stages that count how often they run: a -> b (draws noise) -> c."""

    def __init__(self, workspace):
        self.workspace, self.ran, self.draw = workspace, [], 0

        @stage(writes=[A], config=["x"])
        def first(run):
            self.ran.append("first")
            run.summary = "one"
            return Number(np.array([run.settings.x]))

        @stage(reads=[A], writes=[B], config=["y"], ignores=["y.free"], crosses="test noise")
        def noisy(run, a):
            self.ran.append("noisy")
            run.spending.whole(RELEASE, begun=False)
            self.draw += 1
            return Number(a.value + self.draw)

        @stage(reads=[B], writes=[C])
        def last(run, b):
            self.ran.append("last")
            return Number(b.value * 2)

        self.graph = Pipeline((first, noisy, last))

    def run(self, force=(), x=1, y=None, limit=Budget(None, 1e-5)):
        self.ran.clear()
        plain = {"x": x, "y": Own(**(y or {}))}
        chosen = {"budget": BudgetConfig(account="people"), "noise": NoiseConfig(), "limit": limit}
        runner = Runner(SimpleNamespace(force=force, **plain, **chosen), self.graph, Store(self.workspace), "a run")
        runner.bring_up_to_date(["last"])
        return runner


def damage(runner, stage, side, name):
    file = runner.store.folder(side, stage, runner.records[stage].key) / name
    file.write_bytes(file.read_bytes()[:-10])


def statuses(runner):
    return [entry.status for entry in runner.ledger.entries()]
