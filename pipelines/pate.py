"""PATE: teachers vote, noisy answers label public inputs, and a student learns from those."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from pate.accounting.guarantee import Guarantee, best, given, worst_case
from pate.accounting.mechanism import require_known
from pate.aggregation.votes import read_votes
from pate.errors import ConfigError
from pate.ledger.ledger import Release
from pate.methods.method import Entry, Made, Method
from pate.settings import Settings
from pate.workspace.stage import Ref, Stage

from .account import account, account_in_rounds, account_kept
from .artifacts import COSTS, LABELS, OWNERS_LABELS, OWNERS_STUDENT, QUERIES, STUDENT, VOTES
from .labels import answers_release, labels, labels_from_file, labels_in_rounds, labels_kept
from .needs import NAME_IT, NOT_RELEASED, images_for, labels_have_a_price
from .needs import PATE as KEY
from .panel import panel
from .quality import quality
from .queries import queries, queries_by_position
from .release import release_of_student
from .sanitise import sanitise
from .student import student, student_kept
from .teachers import teachers, teachers_on_inputs
from .votes import votes, votes_from_file

_ON_POOL = ("all", "check", "student", "compare", "report", "quality")  # what is voted on is what is learned from
_PRICED = ("all", "labels", "quality", "student", "compare", "release", "report")  # no label without its price


class PATE(Method):
    """Teachers learn on disjoint parts of the private records and vote on public inputs; noisy answers label some of
    these, and the student that learns from them is what is published (Papernot et al. 2017, 2018)."""

    key = KEY
    asks = True
    shaped_by = ("teachers", "aggregator", "labels", "student")

    def left_out(self, settings: Settings) -> str:
        return "" if settings.has_public else "no public inputs (dataset.public=0): PATE is left out"

    def stages(self, settings: Settings) -> list[Stage]:
        if settings.labels.path:
            return [labels_from_file, student]
        kept = self.kept(settings)
        trained = teachers if settings.teachers.sees == "features" else teachers_on_inputs
        found = [votes_from_file] if settings.votes.path else [trained, votes]
        if settings.labels.selection == "active":
            found += [labels_in_rounds, account_in_rounds]
        else:
            by_position = settings.votes.path and settings.labels.selection != "medoids"
            asked = [queries_by_position if by_position else queries, quality]
            drawn = [labels_kept, account_kept] if kept else [labels, account]
            found += [*asked, *drawn, sanitise]
        return [*found, student_kept if kept else student, panel]

    def kept(self, settings: Settings) -> bool:
        """Whether it is made to be compared: one epsilon for the whole run is another method's to spend. Not labels
        that are there already, nor answers that choose what is asked next."""
        drawn_at_once = not settings.labels.path and settings.labels.selection != "active"
        return drawn_at_once and settings.kept(self.key, by_itself=True)

    def entries(self, settings: Settings) -> list[Entry]:
        kept = self.kept(settings)
        drawn, model = (OWNERS_LABELS, OWNERS_STUDENT) if kept else (LABELS, STUDENT)
        return [
            Entry(
                key=self.key,
                title="PATE",
                short="PATE",
                model=model,
                shown_by=(drawn,) if settings.labels.path else (drawn, COSTS),
                about=f"a student ({type(settings.student).__name__}) taught by noisy votes",
                mark="o",
                colour="pate",
                from_pool=True,
                from_labels=True,
                kept=kept,
                priced=not settings.labels.path,
                stages=("features", "encode", "teachers", "votes", "queries", "labels", "student"),
                guarantees=_no_guarantees if settings.labels.path else _guarantees,
            )
        ]

    def check(self, settings: Settings) -> None:
        self._covered(settings)
        _priced(settings)
        _as_many_queries(settings)
        images_for("student", settings)
        if not (settings.votes.path or settings.labels.path):
            images_for("teachers", settings)
            records, count = settings.dataset.sizes().private, settings.teachers.count
            if 0 < records < count:
                raise ConfigError(f"teachers.count={count}: there are only {records} private records")

    def _covered(self, settings: Settings) -> None:
        """What one epsilon for the whole run cannot cover."""
        if settings.epsilon is None:
            return
        told = f"epsilon={given(settings.epsilon)}"
        if settings.labels.path:
            raise ConfigError(f"{told}: what the labels of labels.path cost is not known: leave epsilon out")
        if settings.stage == "sanitise":
            raise ConfigError(f"{told}: to publish what labels cost on these data costs more: leave epsilon out")
        if settings.labels.selection == "active":
            raise ConfigError(
                f"{told}: labels.selection=active asks in rounds, each released by itself, and noise and queries are "
                "planned for one: leave epsilon out, and say both"
            )

    def notes(self, settings: Settings, made: Made) -> Iterator[str]:
        if settings.labels.path:
            yield "labels came from a file: what they cost is not known here"
            return
        if self.kept(settings) and made(OWNERS_LABELS):
            yield NOT_RELEASED.format(self.key)
        costs = made(COSTS)
        if costs and costs.best.data_dependent:
            yield "PATE's epsilon for this data set is computed from private votes: for the owner, not for publication"

    def release(self, settings: Settings) -> Stage | None:
        return None if self.kept(settings) else release_of_student

    def refused_release(self, settings: Settings) -> str:
        return NAME_IT.format(self.key) if self.kept(settings) else ""

    def foreseen(self, settings: Settings, stages: Collection[str]) -> Iterator[tuple[str, Release]]:
        if "labels" in stages and labels_have_a_price(settings) and not self.kept(settings):
            classes, path = len(settings.dataset.class_names), settings.votes.path
            count = read_votes(path, classes).teachers if path else settings.teachers.count
            yield "labels", answers_release(settings, count, settings.labels.queries)

    def along(self, settings: Settings, page: bool) -> list[str]:
        priced = labels_have_a_price(settings) and settings.stage in _PRICED
        return ["account", *["panel"] * (page and settings.report.panel)] if priced else []

    def evidence(self, settings: Settings) -> Sequence[Ref]:
        model = OWNERS_STUDENT if self.kept(settings) else STUDENT
        return [model] if settings.labels.path else [VOTES, QUERIES, model]


def _priced(settings: Settings) -> None:
    """Said before any teacher is trained: answers without a price are never drawn."""
    try:
        if labels_have_a_price(settings):
            require_known(settings.aggregator)
    except ValueError as error:
        raise ConfigError(f"aggregator: {error}") from error


def _as_many_queries(settings: Settings) -> None:
    """Votes from a file must cover the queries and, where a student learns from them, be votes on this public pool."""
    labels, public = settings.labels, settings.dataset.sizes().public
    if not settings.votes.path:
        if labels_have_a_price(settings) and labels.queries > public:
            raise ConfigError(f"labels.queries={labels.queries}: the public pool has only {public} inputs")
        return
    classes = len(settings.dataset.class_names)
    counts = read_votes(settings.votes.path, classes).counts
    if labels.queries > len(counts):
        raise ConfigError(f"labels.queries={labels.queries}: votes.path holds only {len(counts)} queries")
    on_pool = labels.selection in ("medoids", "active")
    needed = settings.stage in _ON_POOL or on_pool
    if needed and counts.shape != (public, classes or counts.shape[1]):
        raise ConfigError(
            f"votes.path holds {counts.shape[0]} queries over {counts.shape[1]} classes, "
            f"the public pool of {settings.dataset.name} {public} inputs of {classes} classes"
        )


def _guarantees(made: Made) -> list[Guarantee]:
    """The smallest that holds, the owner's; and the smallest for every data set, which may leave."""
    costs: Any = made(COSTS)
    if costs is None:
        return []
    found = [best(costs), worst_case(costs)]
    return list(dict.fromkeys(one for one in found if one is not None))


def _no_guarantees(made: Made) -> list[Guarantee]:
    return []
