"""What is stored of a stage, and when it may be served again.

Nothing that was drawn from private data is stored or served without its entry in the ledger; a damaged draw is drawn
again on request only.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pate.accounting.mechanism import Mechanism
from pate.choice import Choice
from pate.errors import DamagedArtifact, PateError
from pate.ledger.ledger import Ledger
from pate.settings import Settings
from pate.workspace.artifact import Artifact
from pate.workspace.keys import artifact_name
from pate.workspace.pieces import Pieces
from pate.workspace.stage import Stage
from pate.workspace.store import Store

log = logging.getLogger("pate")


@dataclass
class Kept:
    """Results of stages under their keys, one a side."""

    store: Store
    ledger: Ledger
    settings: Settings

    def about(self, stage: Stage, key: str) -> dict[str, Any] | None:
        """What the manifest tells of a whole artifact; a damaged one is named, and only ever drawn again on request."""
        if not stage.writes or not all(self.store.has(side, stage.name, key) for side in stage.sides):
            return None
        try:
            abouts = [self.store.verify(side, stage.name, key)["about"] for side in stage.sides]
        except DamagedArtifact as damage:
            if stage.crosses:
                raise PateError(
                    f"{damage}; it holds a draw of noise, and another draw spends privacy again: put the file back, or "
                    f"ask for it with force=[{stage.name}]"
                ) from damage
            log.warning("%s: rebuilding stage %s", damage, stage.name)
            return None
        if stage.crosses:
            self.refuse_unwritten(stage, key)
            self.ledger.released(artifact_name(stage, key))  # a run may have been killed before it could say so
        return dict(abouts[0])

    def asked_again(self, stage: Stage, key: str, pieces: Pieces) -> bool:
        """Whether it is still to be made afresh. A run may have been killed right after storing what was asked for:
        to go on from its pieces would be another release under the same reservation."""
        try:
            stored = {self.store.manifest(side, stage.name, key)["about"].get("asked") for side in stage.sides}
        except DamagedArtifact:
            stored = set()
        return bool(pieces.marked) and stored != {pieces.marked}

    def refuse_unwritten(self, stage: Stage, key: str) -> None:
        """Nothing that crosses the barrier without an entry in the ledger is stored or served, nor at another price."""
        if not stage.crosses:
            return
        name = artifact_name(stage, key)
        behind = self.ledger.behind(name)
        if not behind:
            raise PateError(
                f"the ledger holds no entry for {name}, which was drawn from private data: put the ledger "
                f"back from a copy that does, or draw again with force=[{stage.name}]"
            )
        self._refuse_other_price(stage, [entry.release.parameters for entry in behind])

    def _refuse_other_price(self, stage: Stage, drawn: Sequence[Mapping[str, Any]]) -> None:
        """A mechanism is known by its kind and what differs from its defaults; the ledger knows all that it drew with.
        Where a default was edited, or two packages chose one kind, an answer would be served at another price."""
        for name in stage.config:
            chosen = getattr(self.settings, name, None)
            now = chosen.parameters() if isinstance(chosen, Choice) and isinstance(chosen, Mechanism) else {}
            for was in (one for one in drawn if now and one.get("kind") == now["kind"]):
                if any(was.get(field, value) != value for field, value in now.items()):
                    raise PateError(
                        f"{name}: what kind {now['kind']!r} drew before had other parameters, and would be priced by "
                        "these: keep the old defaults of its class in `frozen`, or declare another kind"
                    )

    def keep(
        self,
        stage: Stage,
        key: str,
        result: Any,
        about: dict[str, Any],
        effort: dict[str, Any],
        contents: Sequence[str],
    ) -> None:
        """Each side its artifacts. How long a stage took and how much memory is the owner's, also where it reads public
        things alone: its process has read private ones. So is a digest of what was private."""
        results: tuple[Artifact, ...] = result if isinstance(result, tuple) else (result,) if stage.writes else ()
        named = dict(zip(stage.writes, results, strict=True))
        if stage.writes and "private" not in stage.sides:
            self.store.keep_effort(stage.name, key, effort)
        for side in stage.sides:
            mine = {ref.name: artifact for ref, artifact in named.items() if ref.side == side}
            owners = effort | ({"contents": list(contents)} if contents else {})
            self.store.write(side, stage.name, key, mine, about | (owners if side == "private" else {"seconds": 0.0}))
