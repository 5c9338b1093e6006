"""report.html: one file that answers the question at a glance, and shows why. It needs no network and no server.

The owner's page shows everything. The public one is made from `public_view` alone: nothing else reaches it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pate.accounting.explained import listed
from pate.accounting.guarantee import given, neighbours, shown
from pate.errors import PateError
from pate.evaluation.evidence import Evidence
from pate.evaluation.measure import ACCURACY
from pate.evaluation.metrics import title_of, written
from pate.evaluation.results import MethodResult, Results, StageResult
from pate.evaluation.verdict import verdict
from pate.release.withheld import banners, withheld
from pate.report.draw import figures
from pate.report.run.audience import public_view
from pate.report.run.panel import Panel
from pate.report.run.section import Section
from pate.settings import Settings
from pate.workspace.typed_json import to_json

_WEB = Path(__file__).parents[1] / "web"
_MOST_CLASSES = 20
OWNERS = "This page is the owner's: it holds figures computed from private data. Do not publish it."


def owners_page(found: Results, evidence: Evidence | None, panel: Panel | None, folder: Path) -> str:
    """Everything there is to show of a run."""
    shown_figures = [figures.scores(found), *figures.priced(panel), *figures.votes(evidence)]
    return render(
        public=False,
        title=f"{found.data}: {_compared(found)} (the owner's)",
        banners=[*banners(found.notes), OWNERS],
        figures=[one for one in shown_figures if one],
        panel=_panel(panel),
        panel_data=_data(found, panel),
        mistakes=_mistakes(evidence),
        worst=_worst(evidence),
        no_images=_counted(evidence),
        explained=_explained(panel),
        stages=_stages(found.stages),
        statement=_statement(found),
        parts=[*_by_column(seen=found), *[Section.of(table, place) for place, table in enumerate(found.tables)]],
        **_common(found, folder),
    )


def public_page(found: Results, evidence: Evidence | None, test_public: bool) -> str:
    """What may leave; test inputs only where they are public anyway."""
    seen = public_view(found)
    left = {row.name for row in seen.methods}
    shown_to_all = evidence if evidence and test_public and evidence.whose in left else None
    return render(
        public=True,
        title=f"{seen.data}: {_compared(seen)}",
        banners=[],
        figures=[one for one in (figures.scores(seen), figures.accountants(seen)) if one],
        panel=None,
        panel_data="",
        mistakes=_mistakes(shown_to_all),
        worst=_worst(shown_to_all),
        no_images="Test inputs are not shown: they are the owner's.",
        explained=[],
        stages=[],
        statement=_statement(seen),
        **_common(seen, None),
    )


def render(**context: Any) -> str:
    """Fill the template; whatever is text is escaped."""
    environment = Environment(loader=FileSystemLoader(_WEB), autoescape=True, undefined=StrictUndefined)
    environment.filters |= {"shown": shown, "given": given}
    css, js = ((_WEB / name).read_text() for name in ("page.css", "page.js"))
    from markupsafe import Markup

    defaults: dict[str, Any] = {"subject": "runs compared", "parts": [], "source": "results.json", "withheld": ""}
    defaults |= {"worst": None, "explained": [], "wide": False}
    return environment.get_template("page.html").render(defaults | context | {"css": Markup(css), "js": Markup(js)})


def write_pages(
    found: Results, evidence: Evidence | None, panel: Panel | None, settings: Settings, folder: Path
) -> Path | None:
    """The owner's page beside results.json; one for everybody where what leaves is put, if it was asked for: that one's
    path is told."""
    _write(owners_page(found, evidence, panel, folder), folder / "report.html", 0o600)
    if settings.report.audience == "public":
        if why := withheld(found.notes):
            raise PateError(f"report.audience=public: {why}, so no page of it may leave")
        text = public_page(found, evidence, settings.dataset.test_public)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        published = settings.workspace / "published"
        published.mkdir(exist_ok=True)
        published.chmod(0o755)  # it is meant for others, whatever the run's files are
        file = published / f"{settings.dataset.name}-report-{digest}.html"
        return _write(text, file, 0o644)
    return None


def _write(text: str, file: Path, mode: int) -> Path:
    """Whole or not at all."""
    temporary = file.with_name(f".{file.name}")
    temporary.write_text(text, encoding="utf-8")
    temporary.chmod(mode)
    temporary.rename(file)
    return file


def _compared(found: Results) -> str:
    """What the page is about, for its title."""
    names = list(dict.fromkeys(row.short for row in found.methods if row.private))
    return f"{' and '.join(names)} compared" if len(names) > 1 else (names[0] if names else "no method was scored")


def _common(found: Results, folder: Path | None) -> dict[str, Any]:
    scored = [row for row in found.methods if row.confusion]
    return {
        "subject": _compared(found),
        "verdict": verdict(found, folder),
        "facts": _facts(found),
        "errors": "± is one standard error from the test inputs; one run, so chance in training is not in it.",
        "measure": f"Models are compared by {found.measure.title}: {found.measure.why}.",
        "scores": [_heading(found, name) for name in _measures(found)],
        "methods": [_row(row, _measures(found)) for row in found.methods],
        "always": _always(found),
        "relation": neighbours(row.best.relation for row in found.methods if row.best)
        or "none: nothing here is private",
        "withheld": withheld(found.notes),
        "confusion": _confusion(scored),
        "by_class": _by_class(found, scored),
        "notes": found.notes,
        "command": found.command,
        "versions": "\n".join(f"{name} {version}" for name, version in found.versions.items()),
        "config": yaml.safe_dump(found.config, sort_keys=False, allow_unicode=True),
    }


def _measures(found: Results) -> list[str]:
    """What stands in the table of methods: the measure, and accuracy if it is another."""
    return list(dict.fromkeys([found.measure.name, ACCURACY.name]))


def _heading(found: Results, name: str) -> str:
    return f"test {found.measure.title if name == found.measure.name else title_of(name)}"


def _always(found: Results) -> dict[str, Any] | None:
    """What always answering one class has: no method, and of no epsilon."""
    one = found.baseline
    if one is None:
        return None
    scores = [written(name, one.metrics.get(name), one.standard_errors.get(name)) for name in _measures(found)]
    return {"title": one.title, "scores": scores}


_SHAPES = {"s": "square", "^": "triangle"}  # what a mark in the figures is in the table


def _row(row: MethodResult, measures: Sequence[str]) -> dict[str, Any]:
    return to_json(row) | {
        "scores": [written(name, row.metrics.get(name), row.standard_errors.get(name)) for name in measures],
        "took": "" if row.seconds is None else f"{row.seconds:.1f}",
        "shape": _SHAPES.get(row.mark, "circle"),
    }


def _facts(found: Results) -> list[tuple[str, str]]:
    pate = found.pate
    told = [("data set", found.data)]
    if pate.accountants:
        told += [("teachers", str(pate.teachers))] * (pate.teachers is not None)
        told += [("queries", f"{pate.queries}"), ("answered", f"{pate.answered}")]
    shares = {
        "labels right": pate.label_accuracy,
        "plurality right": pate.plurality_accuracy,
        "one teacher right": pate.teacher_accuracy,
    }
    return told + [(name, f"{share:.1%}") for name, share in shares.items() if share is not None]


def _panel(panel: Panel | None) -> dict[str, Any] | None:
    if panel is None:
        return None
    order = "" if panel.exact_order else "Fewer queries are the first of those asked; a run would choose others."
    few = "" if any(one["accountant"] == "teacher_resolved" for one in panel.accountants) else (
        " Prices teacher by teacher are left out here: there are too many votes to compute them beforehand."
    )  # fmt: skip
    return asdict(panel) | {"order": order + few * (panel.teachers > 0)}


def _data(found: Results, panel: Panel | None) -> str:
    """The panel's table for the page's script, epsilons and deltas also as they are shown: it rounds none itself.
    Nothing in it can end the element it stands in."""
    if panel is None:
        return ""
    replaced = [f"aggregator.{panel.parameter}", "labels.queries", "delta", "force", "stage", "dataset.delta"]
    replaced.append("epsilon")  # it plans what the sliders say
    told = {"shown": _shown(panel.epsilon), "given": [given(delta) for delta in panel.deltas]}
    data = asdict(panel) | told | {"command": _typed(found), "replaced": replaced}
    return json.dumps(to_json(data), separators=(",", ":")).replace("<", "\\u003c")


def _typed(found: Results) -> list[str]:
    """The words of its command, with the mechanism that was planned for an epsilon: without one another is usual."""
    words = shlex.split(found.command)[1:]
    module = str((found.config.get("aggregator") or {}).get("_target_", "")).split(".")[-2:-1]
    said = any(word.startswith(("aggregator=", "run=", "+experiment=")) for word in words)
    planned = found.config.get("epsilon") is not None and not said
    return [*words, *(f"aggregator={name}" for name in module if planned)]


def _shown(epsilons: Any) -> Any:
    """The same table in words."""
    if isinstance(epsilons, list):
        return [_shown(one) for one in epsilons]
    return "unknown" if epsilons is None else shown(epsilons)


def _confusion(scored: Sequence[MethodResult]) -> dict[str, Any] | None:
    """Of the first method that was scored; of many classes those it confuses most."""
    if not scored:
        return None
    row = scored[0]
    matrix, names = np.array(row.confusion), list(row.by_class)
    wrong = matrix.sum(axis=1) - np.diag(matrix)
    kept = np.sort(np.argsort(-wrong, kind="stable")[:_MOST_CLASSES])
    totals = np.maximum(matrix.sum(axis=1), 1)
    few = len(kept) < len(names)
    return {
        "who": "student" if row.from_labels else "model",
        "note": f"The {len(kept)} classes of {len(names)} with most mistakes." if few else "",
        "names": [names[at] for at in kept],
        "rows": [
            {
                "name": names[at],
                "right": f"{matrix[at, at] / totals[at]:.0%}" if matrix[at].sum() else "–",
                "cells": [
                    {
                        "count": int(matrix[at, to]),
                        "hit": at == to,
                        "heat": round(0.75 * matrix[at, to] / totals[at], 3),
                    }
                    for to in kept
                ],
            }
            for at in kept
        ],
    }


def _by_class(found: Results, scored: Sequence[MethodResult]) -> dict[str, Any]:
    """A line a class, then every metric but accuracy."""
    classes, always = list(scored[0].by_class) if scored else [], found.baseline
    beside = [always.title] if always and scored else []
    rows = [[name, *(written(ACCURACY.name, row.by_class[name]) for row in scored)] for name in classes]
    rows = [[*row, *(["100.0%" if row[0] == one.answer else "0.0%"] if (one := always) else [])] for row in rows]
    others = [[row.metrics for row in scored] + ([always.metrics] if always else [])] * bool(scored)
    rows += [
        [title_of(name), *(written(name, one.get(name)) for one in several)]
        for several in others
        for name in found.other_metrics
    ]
    return {"names": [*(row.title for row in scored), *beside], "rows": rows}


def _mistakes(evidence: Evidence | None) -> list[dict[str, str]]:
    if evidence is None:
        return []
    told = zip(evidence.mistakes, evidence.images, strict=False)  # rows of a table have none
    return [
        {"truth": one["truth"], "answer": one["answer"], "sure": f"{one['confidence']:.0%} sure", "image": _png(image)}
        for one, image in told
    ]


def _worst(evidence: Evidence | None) -> dict[str, Any] | None:
    """Rows of a table that are taken for something else."""
    if evidence is None or not evidence.columns:
        return None
    shown_columns = max((len(one["row"]) for one in evidence.mistakes), default=0)
    more = evidence.columns - shown_columns
    return {
        "rows": [one | {"sure": f"{one['confidence']:.0%}"} for one in evidence.mistakes],
        "count": f"{evidence.wrong} of {evidence.scored} test rows",
        "more": f"The first {shown_columns} of {evidence.columns} columns are shown." * (more > 0),
    }


def _counted(evidence: Evidence | None) -> str:
    """What stands where no image does: never that there is no mistake while there are some."""
    if evidence is None or not evidence.scored:
        return "No mistakes to show: no model was asked about test inputs of known class."
    if not evidence.wrong:
        return f"No mistakes: all {evidence.scored} test inputs are recognised."
    many = f"{evidence.wrong} of {evidence.scored} test inputs are mistaken"
    return f"{many}; the rows it is surest of are listed below." if evidence.columns else f"{many}."


def _explained(panel: Panel | None) -> list[tuple[str, str]]:
    return listed((one["accountant"], one["theorem"]) for one in panel.accountants) if panel else []


def _by_column(seen: Results) -> list[Section]:
    """Who pays, by the groups of a column."""
    by = seen.by
    if by is None:
        return []
    scored = [row for row in seen.methods if row.name in by.methods]
    balanced = [row for row in scored if any(one.balanced_accuracy is not None for one in by.methods[row.name])]
    groups = list(enumerate(zip(by.groups, map(str, by.counts), strict=True)))
    found = {row.name: by.methods[row.name] for row in scored}
    rows: list[Sequence[str] | str] = ["Wrong answers"]
    rows += [[*group, *(found[row.name][place].shown for row in scored)] for place, group in groups]
    if balanced:
        rows.append("Balanced accuracy")
        rows += [[*group, *(found[row.name][place].balanced for row in scored)] for place, group in groups]
    head = [by.column, "inputs", *(row.title for row in scored)]
    words = (
        "How often each method is wrong on test inputs of each group, ± one standard error: sqrt(p (1 - p) / n), which "
        "says little of a handful of inputs. Balanced accuracy is the mean over the classes that occur in the group. "
        "Computed from the owner's test inputs: no epsilon covers it."
    )
    return [Section("by-column", f"Who pays, by {by.column}", [words], head, rows, range(1, len(head)))]


def _png(image: np.ndarray) -> str:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, format="png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"


def _stages(stages: Mapping[str, StageResult]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "seconds": f"{one.seconds:.1f}",
            "memory": "–" if not one.memory else f"{one.memory / 1e6:,.0f} MB",
            "reused": one.reused,
            "summary": one.summary,
        }
        for name, one in stages.items()
    ]


def _statement(found: Results) -> list[str]:
    """What an epsilon here means and what may be said about what was released."""
    told = []
    for row in found.methods:
        if leaves := row.publishable:
            what = "The noisy labels and the student" if row.from_labels else f"The {row.short} model"
            told.append(f"{what} may be published as {leaves.formal}.")
    if not told:
        why = withheld(found.notes)
        told.append(f"Nothing of this run may be published as differentially private{why and f': {why}'}.")
    if (account := found.ledger) and (total := account.total):
        many = f"All {account.releases} releases" if account.releases > 1 else "The one release"
        fit = "fit" if account.releases > 1 else "fits"
        told.append(
            f"{many} from the same private data so far {fit} a budget of epsilon {total.shown}, {total.promise}, for "
            f"every data set, fixed in advance ({total.theorem}). The price of one run is not the price of all of them."
        )
        if total.withheld:
            told.append(f"This total is {total.withheld}.")
    told.append(
        "No epsilon covers settings chosen by looking at private data or at scores computed from it, releases made "
        "elsewhere, or the party that counted the votes and added the noise."
    )
    return told
