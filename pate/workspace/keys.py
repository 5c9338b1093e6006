"""What a stage's result is stored under, and what a draw of noise is known by, so that it is found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pate.choice import Choice
from pate.ledger.ledger import Ledger
from pate.settings import Settings
from pate.workspace.about import Record
from pate.workspace.accounts import Accounts
from pate.workspace.identity import Said, named, said
from pate.workspace.stage import Pipeline, Ref, Stage, code_version
from pate.workspace.store import Store
from pate.workspace.view import view


@dataclass
class Keys:
    """Of one run, for stages whose inputs are in its `records`."""

    settings: Settings
    graph: Pipeline
    store: Store
    ledger: Ledger
    records: Mapping[str, Record]
    accounts: Accounts

    def key(self, stage: Stage) -> str:
        """A hash of the stage's own configuration, its inputs, the outside files it reads and its code.

        A draw of noise is not repeated because the code around it was edited: that would spend privacy again. In place
        of code it has all that was declared to get there, and the account: see `source`.
        """
        config = self._config(stage)
        inputs = [(ref.name, self.identity(ref)) for ref in stage.reads]
        seen = view(self.settings, stage)
        files = self.store.fingerprint(stage.files(seen)) if stage.files else []
        derived = [stage.derived(seen)] if stage.derived else []
        if not stage.crosses:
            chosen = (getattr(self.settings, name, None) for name in stage.config)
            carried = [module for one in chosen if isinstance(one, Choice) for module in one.modules()]
            code = code_version(stage, [*carried, *self._carrying_out(stage)])
            return self.store.key(stage.name, config.now, inputs, files, code, *derived)
        drawn = Said.all([self.declared(stage), self.accounts.of(stage)])
        names = named(self.store.key, stage.name, config, inputs, files, drawn, *derived)
        return names.known(lambda key: bool(self.ledger.behind(artifact_name(stage, key))))

    def source(self, stage: Stage, name: str, mechanism: str) -> str:
        """An input under a mechanism, by the name of its setting, as a source of answers. What was declared to make the
        input is part of it: whether an answer is served or drawn must not hang on settings that happen to vote alike
        on these data."""
        ref = next(ref for ref in stage.reads if ref.name == name)
        declared, chosen = self.records[self.graph.maker(ref).name].declared, said(self.settings, [mechanism])
        names = named(
            self.store.key, "source", self.identity(ref), declared, chosen[mechanism], self.accounts.of(stage)
        )
        return names.known(lambda source: bool(self.ledger.answers(source)))

    def declared(self, stage: Stage) -> Said:
        """All configuration that leads to a stage's result, whatever the data made of it."""
        before = Said.all([self.records[self.graph.maker(ref).name].declared for ref in stage.reads])
        return named(self.store.key, "declared", stage.name, self._config(stage), before)

    def _config(self, stage: Stage) -> Said:
        return said(self.settings, stage.config, stage.ignores)

    def _carrying_out(self, stage: Stage) -> list[str]:
        """Where the code is that carries out its inputs: of others only what this run has chosen, whatever else the
        process has imported."""
        chosen = [one for one in vars(self.settings).values() if isinstance(one, Choice)]
        others = {module for one in chosen for module in one.modules()}
        found = dict.fromkeys(module for ref in stage.reads for module in ref.kind.modules())
        return [module for module in found if module.startswith("pate.") or module in others]

    def identity(self, ref: Ref) -> str:
        """What an input really is, whatever it was made by."""
        maker = self.graph.maker(ref).name
        return self.store.identity(maker, self.records[maker].key, [ref.side])


def artifact_name(stage: Stage, key: str) -> str:
    """An artifact as the ledger calls it."""
    return f"{stage.name}/{key}"
