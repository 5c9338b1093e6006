"""consensus: one noisy sum of every record's answer in a public basis, which labels the whole public pool.

basis (public) -> consensus (crosses, once) -> consensus_student (public inputs and the noisy sum alone)
"""

import sys
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from pate.accounting.guarantee import KEPT, Guarantee
from pate.accounting.mechanism import require_known
from pate.consensus.basis import Basis
from pate.consensus.consensus import STUDENTS
from pate.consensus.drawing import Answers, draw
from pate.consensus.gaussian import MOST
from pate.consensus.moments import standing
from pate.consensus.noisy_sum import NoisySum
from pate.consensus.statement import of_sum
from pate.data.split import Private, Public
from pate.errors import ConfigError
from pate.evaluation.results import Table
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.ledger.ledger import Release
from pate.methods.method import Entry, Made, Method
from pate.models.predictor import Predictor
from pate.noise import SEEDED, source
from pate.release.statement import Statement
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.students.student import Lesson
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, Ref, Stage, stage

from .artifacts import (
    BASIS,
    CONSENSUS,
    CONSENSUS_QUALITY,
    CONSENSUS_STUDENT,
    ENCODER,
    FORECAST,
    OWNERS_CONSENSUS,
    OWNERS_CONSENSUS_STUDENT,
    PRIVATE,
    PRIVATE_FEATURES,
    PUBLIC,
    PUBLIC_FEATURES,
    SHIFT,
)
from .consensus_account import consensus_account
from .consensus_plan import PATES, SEES, counted, planned
from .consensus_quality import consensus_quality
from .decision import decided
from .needs import NAME_IT, NOT_RELEASED, PATE, PRIVATE_RECORDS, PUBLIC_INPUTS, images_for, labels_have_a_price
from .release import release_of
from .shift import shift

_CROSSES = (
    "a sum of bounded answers with noise on every entry: Gaussian (Balle & Wang 2018), or Laplace on counts of "
    "clusters (Dwork & Roth 2014)"
)


@stage(
    reads=[PUBLIC, PUBLIC_FEATURES],
    writes=[BASIS],
    config=["consensus", "delta", "partition"],
    ignores=["consensus.student"],
    sees=SEES,
    needs=[PUBLIC_INPUTS, PRIVATE_RECORDS],
    derived=counted,
    effort=lambda settings: Effort("basis", settings.consensus, settings.dataset.sizes().public),
)
def basis(run: Run, public: Public, public_features: Encoded) -> Basis:
    """Directions in which public inputs differ, as many as stand out of the noise: it sees no private record"""
    settings, classes = run.settings, len(public.classes)
    records = settings.dataset.sizes().private
    made = settings.consensus.basis(public_features.x, classes, planned(settings).floor(records, classes))
    if made.components * classes > MOST:
        raise ConfigError(f"consensus.components={made.components}: with {classes} classes at most {MOST // classes}")
    run.summary = f"{made.components} directions of {len(public.x)} public inputs ({made.kind})"
    return made


def _draw(
    run: Run, private: Private, private_features: Encoded, public_features: Encoded, basis: Basis, kept: bool
) -> NoisySum:
    chosen, noise = run.settings.consensus, source(run.settings.noise.seed)
    plan = planned(run.settings).in_releases(chosen.how_often(basis.components, len(public_features.x)))
    run.notes += (SEEDED,) * noise.seeded
    release = plan.release(basis.components)
    if plan.group and (private.group is None or len(np.unique(private.group)) < 2):
        raise ConfigError(f"partition.group_by={plan.group}: all private records are of one {plan.group}")
    group = private.group if plan.group else None
    share = None if private.allowed is None else plan.shares(private.allowed)
    answers = Answers(plan, standing(basis, private_features.x), private.y, group, len(private.classes), share)
    _ = answers.first  # added up now: what fails, fails before it is paid for
    saved = {} if kept else _begun(run, release)
    if kept:
        run.spending.owners(release)
    else:
        run.spending.whole(release, begun=bool(saved))
    drawn = draw(chosen, answers, basis.pool(public_features.x), noise, saved, run.pieces.save)
    why = withheld(run.all_notes) or KEPT * kept
    told = [str(one.without(why)) for one in drawn.guarantees()]
    told += [f"where {where}: {one.without(why)}" for where, one in drawn.of_levels()]
    run.summary = f"{plan.describe()}: {'; '.join(told)}"
    return drawn


def _begun(run: Run, release: Release) -> dict[int, np.ndarray]:
    """The sums a killed run has kept: all up to the first that is missing, as each speaks beyond those before it; and
    none if its reservation paid for another plan, as edited code may have it."""
    kept = run.pieces.load()
    first = {number: kept[number] for number in range(len(kept)) if all(before in kept for before in range(number + 1))}
    if first.keys() == kept.keys() and run.spending.paid(release):
        return first
    run.pieces.drop(before=sys.maxsize)
    return {}


def _released(
    run: Run, private: Private, private_features: Encoded, public_features: Encoded, basis: Basis
) -> NoisySum:
    return _draw(run, private, private_features, public_features, basis, kept=False)


def _kept(run: Run, private: Private, private_features: Encoded, public_features: Encoded, basis: Basis) -> NoisySum:
    return _draw(run, private, private_features, public_features, basis, kept=True)


def _drawing(kept: bool, at_pates: bool) -> Stage:
    """For the owner or to be released; at an epsilon of its own, or at what PATE may publish."""
    return stage(
        name="consensus",
        reads=[PRIVATE, PRIVATE_FEATURES, PUBLIC_FEATURES, BASIS],
        writes=[OWNERS_CONSENSUS if kept else CONSENSUS],
        config=["consensus", "delta", "noise", "partition", *PATES * at_pates],
        ignores=["consensus.student"],
        needs=[PUBLIC_INPUTS, PRIVATE_RECORDS],
        crosses="" if kept else _CROSSES,
        effort=lambda settings: Effort("consensus", settings.consensus, settings.dataset.sizes().private),
    )(_kept if kept else _released)


def _itself(
    run: Run, public: Public, encoder: Encoder, public_features: Encoded, basis: Basis, consensus: NoisySum
) -> Predictor:
    """The consensus as a model, or a student that learns what it believes of every public input"""
    learned = run.settings.consensus.learn(basis.pool(public_features.x), consensus)
    run.summary = f"its own predictor; {learned.told}"
    found = Predictor.of(basis.predictor(learned.weights, learned.belief, public_features.x), encoder, public)
    return decided(run, found, found.rows_at_hand(public.x, encoder, public_features.x))


def _taught(
    run: Run, public: Public, encoder: Encoder, public_features: Encoded, basis: Basis, consensus: NoisySum
) -> Predictor:
    settings = run.settings
    learned = settings.consensus.learn(basis.pool(public_features.x), consensus)
    lesson = Lesson.of_beliefs(public.x, public_features.x, learned.belief, settings.seed)
    model = settings.student.fit(lesson, Checkpoint(run.pieces))
    run.summary = f"{type(settings.student).__name__} on {len(learned.belief)} beliefs; {learned.told}"
    found = Predictor.of(model, settings.student.encoder(encoder), public)
    return decided(run, found, found.rows_at_hand(public.x, encoder, public_features.x))


def _effort(settings: Settings) -> Effort:
    """Of the student that learns, or of the consensus that is its own model."""
    public = settings.dataset.sizes().public
    if settings.consensus.student == "student":
        return Effort("student", settings.student, public)
    return Effort("consensus_student", settings.consensus, public)


def _learning(kept: bool, student: str) -> Stage:
    drawn, model = _refs(kept)
    return stage(
        name="consensus_student",
        reads=[PUBLIC, ENCODER, PUBLIC_FEATURES, BASIS, drawn],
        writes=[model],
        config=["consensus", "deciding", *["student", "seed"] * (student == "student")],
        needs=[PUBLIC_INPUTS, PRIVATE_RECORDS],
        effort=_effort,
    )(_taught if student == "student" else _itself)


def _refs(kept: bool) -> tuple[Ref, Ref]:
    return (OWNERS_CONSENSUS, OWNERS_CONSENSUS_STUDENT) if kept else (CONSENSUS, CONSENSUS_STUDENT)


_DRAWING = {(kept, pates): _drawing(kept, pates) for kept in (False, True) for pates in (False, True)}
_LEARNING = {(kept, student): _learning(kept, student) for kept in (False, True) for student in STUDENTS}


def _statement(run: Run, account: Mapping[str, str], drawn: NoisySum) -> Statement:
    return of_sum(drawn, data=run.settings.dataset.name, account=account)


_RELEASE = release_of(CONSENSUS_STUDENT, [], _statement, [CONSENSUS])
_ANSWERS = {"account": ["consensus_account"], "quality": ["shift", "consensus_quality"]}
_SHIFTED = ("all", "consensus", "consensus_student", "compare", "release", "report")  # what draws, or shows a draw


class Consensus(Method):
    """Every record is a teacher with a bounded answer to all public inputs at once. It is released, and spent, where
    it was named; beside others it is the owner's."""

    key = "consensus"
    shaped_by = ("consensus", "student")
    keeps_budgets = True

    def left_out(self, settings: Settings) -> str:
        if not settings.has_private:
            return "no private records: consensus is left out"
        if not settings.has_public:
            return "no public inputs (dataset.public is 0, or no public file is there): consensus is left out"
        if settings.consensus.epsilon == PATE and not (labels_have_a_price(settings) and not settings.votes.path):
            return (
                "consensus.epsilon=pate, and what PATE may publish is not known here: give a number, or name pate in "
                "methods= and take no labels from a file; consensus is left out"
            )
        return ""

    def check(self, settings: Settings) -> None:
        chosen, public = settings.consensus, settings.dataset.sizes().public
        try:
            if chosen.epsilon == PATE:
                require_known(settings.aggregator)
        except ValueError as error:
            raise ConfigError(f"aggregator: {error}") from error
        try:
            planned(settings)  # says if no noise fits this epsilon
        except ValueError as error:
            group = "partition" if str(error).startswith("budget") else "consensus"
            raise ConfigError(f"{group}.{error}") from error
        if chosen.noise == "continuous" and not self.kept(settings) and settings.noise.seed is None:
            raise ConfigError(
                "consensus.noise=continuous: floating-point noise gives away what lies under it (Mironov 2012), so it "
                "is not released: take consensus.noise=discrete, or leave consensus out of methods= and release.method="
            )
        if chosen.components is not None and chosen.components > public:
            raise ConfigError(f"consensus.components={chosen.components}: there are only {public} public inputs")
        if len(settings.dataset.class_names) == 1:
            raise ConfigError("consensus tells classes apart, and dataset.classes declares one")
        if chosen.student == "student":
            images_for("student", settings)

    def kept(self, settings: Settings) -> bool:
        """Whether it is made to be compared, because nobody has named it."""
        return settings.kept(self.key, by_itself=False)

    def stages(self, settings: Settings) -> list[Stage]:
        kept, chosen = self.kept(settings), settings.consensus
        before = [basis, shift, consensus_account, consensus_quality]
        return [*before, _DRAWING[kept, chosen.epsilon == PATE], _LEARNING[kept, chosen.student]]

    def answers(self, settings: Settings, stage: str) -> list[str]:
        """What it would cost, and how right it would be: not beside another method's votes or labels from a file,
        unless it was named."""
        elsewhere = self.kept(settings) and (settings.votes.path or settings.labels.path)
        return [] if elsewhere else _ANSWERS.get(stage, [])

    def along(self, settings: Settings, page: bool) -> list[str]:
        return ["shift"] * (settings.stage in _SHIFTED) + ["consensus_account"] * page

    def entries(self, settings: Settings) -> list[Entry]:
        kept, chosen = self.kept(settings), settings.consensus
        drawn, model = _refs(kept)
        taught = "" if chosen.student == "itself" else f", taught to a student ({type(settings.student).__name__})"

        def guarantees(made: Made) -> list[Guarantee]:
            return [(made(drawn) or made(FORECAST)).guarantees()[0]]

        def details(made: Made) -> dict[str, float | None]:
            return dict((made(drawn) or made(FORECAST)).details())

        return [
            Entry(
                key="consensus",
                title="consensus",
                short="consensus",
                model=model,
                shown_by=(drawn, FORECAST),
                about=f"one noisy sum of answers in a public basis ({type(chosen).__name__}){taught}",
                mark="^",
                colour="good",
                stages=("features", "encode", "basis", "consensus", "consensus_student"),
                guarantees=guarantees,
                details=details,
                kept=kept,
                from_pool=True,
            )
        ]

    def notes(self, settings: Settings, made: Made) -> Iterator[str]:
        if self.kept(settings) and made(OWNERS_CONSENSUS):
            yield NOT_RELEASED.format(self.key)
        if drawn := made(_refs(self.kept(settings))[0]):
            why = "; ".join([KEPT] * self.kept(settings) + [SEEDED] * drawn.seeded)
            for where, one in drawn.of_levels():
                yield f"consensus, of a record where {where}: {one.without(why)}"
        if (found := made(SHIFT)) and found.warning:
            yield found.warning

    def tables(self, settings: Settings, made: Made) -> Iterator[Table]:
        if forecast := made(FORECAST):
            yield forecast.table()
        if (quality := made(CONSENSUS_QUALITY)) and quality.right[quality.own] is not None:
            yield quality.table()

    def release(self, settings: Settings) -> Stage | None:
        return None if self.kept(settings) else _RELEASE

    def refused_release(self, settings: Settings) -> str:
        return NAME_IT.format(self.key) if self.kept(settings) else ""

    def foreseen(self, settings: Settings, stages: Collection[str]) -> Iterator[tuple[str, Release]]:
        if "consensus" in stages and not self.kept(settings):
            yield "consensus", planned(settings).release(settings.consensus.components or 0)
