"""release: a folder that may leave the house, with a zip of it. Nothing private can reach this file.

The epsilon on its card is computed here from settings alone; the one computed from private votes stays with the owner.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pate.accounting.guarantee import Relation, given, shown
from pate.accounting.plan import CHOSEN_ON_VOTES
from pate.aggregation.labels import Labels
from pate.ledger.ledger import relation as relation_of
from pate.ledger.ledger import total
from pate.models.predictor import Predictor
from pate.noise import SEEDED
from pate.release.chosen import Chosen, Table, chosen
from pate.release.contents import contents, fingerprint
from pate.release.publish import publish
from pate.release.statement import Statement, of_a_file, of_votes
from pate.workspace.artifact import Artifact
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, stage

from .artifacts import LABELS, STUDENT


@stage(
    name="release",
    reads=[LABELS, STUDENT],
    publishes=True,
    config=["dataset", "aggregator", "delta", "labels", "votes", "partition", "teachers", "account", "limit", "output"],
)
def release_of_student(run: Run, labels: Labels, student: Predictor) -> None:
    run.notes += (CHOSEN_ON_VOTES,) * run.settings.account.on_votes
    _publish(run, STUDENT, student, labels, _of_labels(run, labels), run.notes)


def release_of(
    model: Ref, config: Sequence[str], statement: Callable[..., Statement], reads: Sequence[Ref] = ()
) -> Stage:
    """The stage that publishes another method's model. `statement(run, account, *made)` says what is promised, given
    what all releases from the same data come to and what was made of `reads`; nothing leaves if any of that is of
    seeded noise. `config` names the settings it looks at."""

    def release(run: Run, **made: Artifact) -> None:
        beside = [made[ref.name] for ref in reads]
        seeded = any(getattr(one, "seeded", False) for one in beside)
        predictor = made[model.name]
        assert isinstance(predictor, Predictor)
        _publish(run, model, predictor, None, statement(run, _account(run), *beside), (SEEDED,) * seeded)

    release.__name__ = f"release_of_{model.name}"
    declared = stage(
        name="release", reads=[model, *reads], publishes=True, config=["dataset", "limit", "output", *config]
    )
    return declared(release)


def _of_labels(run: Run, labels: Labels) -> Statement:
    settings = run.settings
    if settings.labels.path:
        return of_a_file(settings.dataset.name, labels.mechanism)
    teachers = int(labels.teachers) or (None if settings.votes.path else settings.teachers.count)
    return of_votes(
        settings.aggregator,
        int(labels.queries) or settings.labels.queries,
        teachers,
        settings.delta,
        data=settings.dataset.name,
        relation=Relation(group=settings.partition.group_by),
        adaptive=settings.labels.selection == "active",
        account=_account(run),
    )


_SCORING = ("compare", "quality", "consensus_quality")  # what lets an owner see how good models are, or would be


def _account(run: Run) -> dict[str, str]:
    """What everything released from the same data costs together, on every data set."""
    delta = run.settings.limit.delta
    released = run.spending.ledger.releases(run.spending.spender.account)
    neighbours = relation_of(entry.release for entry in released)
    told = {"epsilon": shown(total(released, delta)[0]), "delta": given(delta), "neighbours": neighbours}
    void = next((entry.withheld for entry in released if entry.withheld), "")  # what voids one of them voids their sum
    return told | ({"but": void} if void else {})


def _chosen(run: Run, model: Ref) -> Chosen:
    """What was scored before, as manifests tell: how many models, which was asked for, and no score."""
    tables = [Table.of(about.get("facts")) for stage in _SCORING for about in run.told(stage)]
    return chosen(*run.origin(model.name), tables, run.settings.dataset.test_public)


def _publish(
    run: Run, model: Ref, predictor: Predictor, labels: Labels | None, statement: Statement, notes: tuple[str, ...]
) -> None:
    settings, how = run.settings, _chosen(run, model)
    run.notes += (f"what left was {how.claim}",) * (how.how == "by score")
    files = contents(predictor, labels, replace(statement, chosen=how), tuple(dict.fromkeys([*run.inherited, *notes])))
    output = settings.output
    own = settings.workspace / "published" / f"{settings.dataset.name}-{fingerprint(files)[:8]}"
    archive = publish(Path(output) if output else own, files)
    run.published = str(archive)
    run.summary = f"{archive.with_suffix('')} and {archive.name}: {len(files)} files, {archive.stat().st_size:,} bytes"
