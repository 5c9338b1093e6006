"""The flow: which stages a configuration calls for, in order.

dataset -> private | public | test
private -> teachers -> votes | labels -> student        right of the bar: public inputs and noisy labels only
private ------------------------------> dpsgd           the baseline, same split, same epsilon
private ------------------------------> nonprivate      the upper bound
all of them -> compare -> report                        labels, student -> release: what leaves
"""

from collections.abc import Iterable, Iterator

from pate.aggregation.votes import read_votes
from pate.ledger.ledger import Release
from pate.settings import Settings
from pate.workspace.stage import Pipeline

from .account import account, account_in_rounds
from .artifacts import DPSGD, DPSGD_PUBLISHABLE, LABELS, NONPRIVATE, OWNERS_DPSGD, QUERIES, STUDENT, VOTES
from .check import check
from .compare import compare_of
from .data import data
from .dpsgd import dpsgd, dpsgd_at_pates_epsilon, dpsgd_publishable, training_release
from .encode import encode
from .features import features
from .fetch import fetch
from .labels import answers_release, labels, labels_from_file, labels_in_rounds
from .nonprivate import nonprivate
from .panel import panel
from .quality import quality
from .queries import queries, queries_by_position
from .release import release, release_of_dpsgd
from .report import report_of
from .sanitise import sanitise
from .student import student
from .teachers import teachers, teachers_on_inputs
from .votes import votes, votes_from_file


def graph(settings: Settings) -> Pipeline:
    """The stages of this configuration; a note for each method that cannot be part of it."""
    stages, compared, shown, notes = [fetch, check, data, features, encode], [], [], []
    if not settings.has_pate:
        notes.append("no public inputs (dataset.public=0): PATE is left out")
    elif settings.labels.path:
        stages += [labels_from_file, student, release]
        compared += [LABELS, STUDENT]
        shown += [STUDENT]
        notes.append("labels came from a file: what they cost is not known here")
    else:
        trained = teachers if settings.teachers.sees == "features" else teachers_on_inputs
        stages += [votes_from_file] if settings.votes.path else [trained, votes]
        by_position = settings.votes.path and settings.labels.selection != "medoids"
        if settings.labels.selection == "active":
            stages += [labels_in_rounds, account_in_rounds]
        else:
            stages += [queries_by_position if by_position else queries, quality, labels, account, sanitise]
        stages += [student, release, panel]
        compared += [VOTES, LABELS, STUDENT]
        shown += [VOTES, QUERIES, STUDENT]
    if settings.has_private:
        at_pates_epsilon = settings.dpsgd.epsilon == "pate"
        if settings.has_dpsgd:
            stages += [dpsgd_at_pates_epsilon if at_pates_epsilon else dpsgd]
            stages += [release_of_dpsgd] * (not settings.has_pate)
            compared += [OWNERS_DPSGD if at_pates_epsilon else DPSGD]
            if at_pates_epsilon and settings.labels.selection != "active":  # then PATE has one epsilon, the publishable
                stages, compared = [*stages, dpsgd_publishable], [*compared, DPSGD_PUBLISHABLE]
        else:
            notes.append("dpsgd.epsilon=pate, and what PATE spent is not known here: DP-SGD is left out")
        stages += [nonprivate]
        compared += [NONPRIVATE] * settings.has_pate  # the student's bound, and nobody else's
    else:
        notes.append("no private records: DP-SGD and the non-private bound are left out")
    return Pipeline((*stages, compare_of(compared), report_of(shown)), tuple(notes))


def foreseen(settings: Settings, stages: Iterable[str]) -> Iterator[tuple[str, Release]]:
    """What each of these stages would release, as far as the configuration alone tells: all of it, if none is served
    again."""
    if "labels" in stages and settings.has_price:
        classes, path = len(settings.dataset.class_names), settings.votes.path
        teachers = read_votes(path, classes).teachers if path else settings.teachers.count
        yield "labels", answers_release(settings, teachers, settings.labels.queries)
    if "dpsgd" in stages and settings.dpsgd.epsilon != "pate":
        records = settings.dataset.sizes().private
        yield "dpsgd", training_release(settings, settings.dpsgd.plan(records, settings.dpsgd.epsilon, settings.delta))


def targets(settings: Settings, alone: bool = True) -> list[str]:
    """What `stage=` asks for. Data that is not there is fetched first, and no label is used without being priced. A run
    that is not `alone` but a sweep's has no page of its own, unless it is asked for by name."""
    page = settings.stage == "report" or (settings.stage == "all" and alone)
    wanted = ["compare", "report"] if page else [{"all": "compare"}.get(settings.stage, settings.stage)]
    if settings.has_price and settings.stage in ("all", "labels", "quality", "student", "compare", "release", "report"):
        wanted += ["account", "panel"] if page else ["account"]
    return ["fetch", *wanted] if settings.dataset.missing() else wanted


def checks(graph: Pipeline, wanted: Iterable[str]) -> list[str]:
    """What looks at the data before anything is trained or drawn, where data is read at all."""
    needed = {stage.name for stage in graph.needed(wanted)}
    return ["check"] if "data" in needed else []
