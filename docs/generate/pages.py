"""The pages of docs/reference: stages from their declarations and docstrings, accountants from the ladder itself."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from docs.generate.keys import CONF, GROUPS, Key, choices, group_keys, header, own_keys, read, root_keys, target

GENERATED = "<!-- made by make docs: edit the code or conf/, not this page -->"


def pages() -> dict[str, str]:
    """Every page that the code alone tells, by its name."""
    return {
        "configuration.md": configuration(),
        "stages.md": stages(),
        "accountants.md": accountants(),
        "exit_codes.md": exit_codes(),
        "methods.md": methods(),
        "results_json.md": results_json(),
        "results.schema.json": results_schema(),
    }


def configuration() -> str:
    """Every key of conf/config.yaml, and every choice of every group."""
    lines = [
        "# Configuration",
        "",
        "Every key that can stand on a command line: `pate key=value`. `pate --cfg job` shows the whole, with",
        "the values of a run. A *group* is chosen by name (`teachers=ridge`) and has keys of its own",
        "(`teachers.count=100`).",
        "",
        "## Keys of a run",
        "",
        *_table(["key", "type", "default", "meaning"], (_row(*key.cells()) for key in root_keys())),
    ]
    for group, what in GROUPS.items():
        lines += ["", f"## `{group}=`: {what}", "", *_group(group)]
    for key, several in own_keys().items():
        lines += ["", f"## `{key}`: what the method of this name brings", ""]
        lines += _table(["key", "type", "default", "meaning"], (_row(*one.cells()) for one in several))
    lines += ["", "## `+experiment=`: ready-made settings", ""]
    lines += _table(
        ["`+experiment=`", "what it is"], (_row(f"`{name}`", _about(name)) for name in choices("experiment"))
    )
    return _page(lines)


def _about(experiment: str) -> str:
    """Its header without the command, which is the same for all."""
    told = header((CONF / "experiment" / f"{experiment}.yaml").read_text())
    return told.replace(f"pate +experiment={experiment} ", "", 1)


def _group(group: str) -> Iterator[str]:
    keys = group_keys(group)
    about = {name: header((CONF / group / f"{name}.yaml").read_text()) for name in keys}
    yield from _table([f"`{group}=`", "what it is"], (_row(f"`{name}`", told) for name, told in about.items()))
    same = [key for key in next(iter(keys.values())) if all(_shares(key, several) for several in keys.values())]
    names = {key.name for key in same}
    if same and len(keys) > 1:
        yield from ["", "Keys of every choice:", ""]
        heads = ["key", "type", "meaning", *(f"`{name}`" for name in keys)]
        yield from _table(heads, (_common(key, keys) for key in same))
    for name, several in keys.items():
        own = several if len(keys) == 1 else [key for key in several if key.name not in names]
        if own:
            yield from ["", f"`{group}={name}`:", ""]
            yield from _table(["key", "type", "default", "meaning"], (_row(*key.cells()) for key in own))


def _shares(key: Key, several: list[Key]) -> bool:
    return any((key.name, key.meaning) == (one.name, one.meaning) for one in several)


def _common(key: Key, keys: dict[str, list[Key]]) -> str:
    forms = [next(one for one in several if one.name == key.name) for several in keys.values()]
    widest = max((one.type for one in forms), key=len)
    return _row(f"`{key.name}`", widest, key.meaning, *(f"`{one.default}`" for one in forms))


def declared() -> dict[str, list[Any]]:
    """Every stage of pipelines/, by name; some have several forms."""
    import pate.pipelines

    from pate.workspace.stage import Stage

    found: dict[str, list[Any]] = {}
    for module in pkgutil.iter_modules(pate.pipelines.__path__, "pate.pipelines."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, Stage) and one.function.__module__ == module.name:
                found.setdefault(one.name, []).append(one)
    return found


def asked() -> tuple[str, ...]:
    """All that `stage=` takes."""
    from pate.app.verbs import asked as everything

    return everything()


def stages() -> str:
    """What each stage does, reads, writes and depends on, and where it crosses the privacy barrier."""
    made = declared()
    lines = [
        "# Stages",
        "",
        "`pate stage=NAME` brings one stage up to date, and first all it needs. `private` artifacts are the owner's,",
        "those of the `release` side may leave. A stage that reads `private` and writes `release` names the mechanism",
        "that makes this safe (*crosses*); the graph is refused otherwise. Some stages have forms: settings choose.",
        "",
    ]
    from pate.app.verbs import summaries

    told = summaries() | {"all": "everything that applies, up to the comparison and the page"}
    rows = [_row(f"`{name}`", told[name]) for name in asked() if name not in made]
    lines += [*_table(["`stage=`", "not a stage of the flow"], rows), ""]
    for name in sorted(made, key=lambda name: asked().index(name) if name in asked() else len(asked())):
        lines += [f"## `{name}`", "", *_stage(made[name]), ""]
    return _page(lines)


def _stage(forms: list[Any]) -> Iterator[str]:
    yield _paragraph(inspect.getdoc(sys.modules[forms[0].function.__module__]) or "").partition(": ")[2]
    yield ""
    for one in forms:
        told = inspect.getdoc(one.function)
        if len(forms) > 1:
            yield f"*{one.function.__name__.replace('_', ' ')}*" + (f": {_paragraph(told)}" if told else "")
            yield ""
        yield f"- reads: {_refs(one.reads)}"
        yield f"- writes: {_refs(one.writes)}"
        yield f"- settings: {', '.join(f'`{key}`' for key in one.config) or 'none'}"
        if one.ignores:
            yield f"- but not: {', '.join(f'`{key}`' for key in one.ignores)}"
        if one.crosses:
            yield f"- **crosses**: {one.crosses}"
        if one.publishes:
            yield "- writes what leaves the workspace, and can read nothing private"
        yield ""


def _refs(refs: Iterable[Any]) -> str:
    return ", ".join(f"{ref.side} `{ref.name}` ({ref.kind.__name__})" for ref in refs) or "nothing"


def ladder() -> dict[tuple[str, str], list[Any]]:
    """What each accountant says of each mechanism, with continuous and discrete noise, on a few votes."""
    from pate.accounting.ladder import price
    from pate.aggregation.votes import tally

    predictions = np.array([[0, 1, 2]] * 18 + [[1, 2, 0]] * 2)
    found = {}
    for name in choices("aggregator"):
        values, _ = read("aggregator", name)
        kind, given = target(values), {key: value for key, value in values.items() if key != "_target_"}
        for noise in ("discrete", "continuous"):
            told = given | ({"noise": noise} if "noise" in {field.name for field in fields(kind)} else {})
            found[name, noise] = list(price(kind(**told), tally(predictions, 3), 1e-5, predictions))
    return found


def accountants() -> str:
    """The ladder: who says what an answer costs, and what that holds for."""
    found = ladder()
    lines = [
        "# Mechanisms and accountants",
        "",
        "A *mechanism* crosses the privacy barrier. An *accountant* says what its answers cost. `pate stage=account`",
        "shows all that apply, side by side; how they are computed is in [accounting](../explanation/accounting.md).",
        "",
        "## Mechanisms",
        "",
    ]
    crossing = [(name, one.crosses) for name, forms in declared().items() for one in forms if one.crosses]
    lines += _table(["stage", "crosses by"], (_row(f"`{name}`", told) for name, told in dict.fromkeys(crossing)))
    lines += ["", "The mechanisms of `labels`, `aggregator=`:", ""]
    rows = (
        _row(f"`{name}`", header((CONF / "aggregator" / f"{name}.yaml").read_text())) for name in choices("aggregator")
    )
    lines += [*_table(["`aggregator=`", "what it is"], rows), "", "## Accountants", ""]
    lines += [
        "*Data-independent* prices hold for every data set: they may be published, and budgets rest on them.",
        "*Data-dependent* ones hold for this data set, are computed from private votes, and are the owner's; they",
        "assume that the queries were fixed in advance. Bounds *as published* that limit one direction of the privacy",
        "loss only are shown, never chosen.",
        "",
    ]
    where: dict[tuple[str, ...], list[str]] = {}
    for (name, noise), several in found.items():
        for one in several:
            kind = "data-dependent" if one.data_dependent else "data-independent"
            told = (
                one.accountant,
                kind,
                "yes" if one.valid else "no: as published",
                "yes" if one.publishable else "no",
            )
            where.setdefault((*told, one.theorem), []).append(f"{name}, {noise}")
    known = list(dict.fromkeys(name for name, *_ in where))
    rows = (
        _row(f"`{told[0]}`", *told[1:], _mechanisms(places))
        for told, places in sorted(where.items(), key=lambda item: known.index(item[0][0]))
    )
    heads = ["accountant", "holds for", "valid bound", "publishable", "by", "of"]
    return _page([*lines, *_table(heads, rows)])


def _mechanisms(places: list[str]) -> str:
    both: dict[str, list[str]] = {}
    for place in places:
        name, noise = place.split(", ")
        both.setdefault(name, []).append(noise)
    return ", ".join(f"`{name}`" + (f" ({noises[0]})" if len(noises) == 1 else "") for name, noises in both.items())


def codes() -> dict[int, list[str]]:
    """The exit codes of errors, with what each kind of error is."""
    from pate import errors

    found: dict[int, list[str]] = {}
    for one in vars(errors).values():
        if isinstance(one, type) and issubclass(one, errors.PateError):
            found.setdefault(one.exit_code, []).append(f"`{one.__name__}`: {_paragraph(inspect.getdoc(one) or '')}")
    return found


def exit_codes() -> str:
    """What a script may rely on."""
    said = {0: "Done.", 1: "Failed, or a job of a sweep did; the command that resumes is printed."}
    said |= {2: "The configuration, or a file it names, is wrong; one line says what."}
    said |= {3: "The budget does not allow it; nothing was drawn.", 130: "Interrupted; the same command goes on."}
    kinds = codes()
    rows = (_row(str(code), said.get(code, ""), " ".join(kinds.get(code, []))) for code in sorted({*said, *kinds}))
    lines = ["# Exit codes", "", *_table(["code", "meaning", "errors (`pate.errors`)"], rows), ""]
    lines += ["From Python the same errors are raised: `pate.run([...])` raises `pate.errors.ConfigError` and so on."]
    return _page(lines)


def results_json() -> str:
    """What is in results.json, by the types that write and read it."""
    from pate.evaluation.results import Results
    from pate.workspace.typed_json import schema

    defined = schema(Results)["$defs"]
    lines = [
        "# results.json",
        "",
        "What a run found, with everything needed to repeat it. **The owner's file**: it holds epsilons for this data",
        "set. A number may be null where it is infinite. `config` is the whole [configuration](configuration.md). From",
        "Python, `pate.run([...])` returns the same. As a JSON schema: [results.schema.json](results.schema.json).",
        "Files of version 1, which names none, are read too.",
        "",
    ]
    for name in ("Results", *(name for name in defined if name != "Results")):
        lines += [f"## {name}", "", _paragraph(defined[name]["description"]), ""]
        rows = (_row(f"`{key}`", _type(kind)) for key, kind in defined[name]["properties"].items())
        lines += [*_table(["key", "type"], rows), ""]
    return _page(lines)


def results_schema() -> str:
    """The same for a validator."""
    from pate.evaluation.results import Results
    from pate.workspace.typed_json import schema

    return json.dumps(schema(Results), indent=1) + "\n"


def _type(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in kind:
        several = [_type(one) for one in kind["anyOf"] if one != {"type": "null"}]
        return " or ".join(dict.fromkeys([*several, "null"]))
    if kind.get("type") == "array":
        return f"list of {_type(kind['items'])}"
    if kind.get("type") == "object":
        return f"mapping to {_type(kind['additionalProperties'])}"
    named = kind.get("type", "anything")
    return "number" if isinstance(named, list) else {"boolean": "true or false", "string": "text"}.get(named, named)


def methods() -> str:
    """Which ways to a model there are, and what of each may leave."""
    from pate.pipelines import methods as known

    from pate.evaluation.metrics import metrics as all_metrics

    ways = (_row(f"`{key}`", _paragraph(inspect.getdoc(type(one)) or "")) for key, one in known().items())
    measures = (
        _row(f"`{one.name}`", _paragraph(inspect.getdoc(sys.modules[one.function.__module__]) or ""), one.better)
        for one in all_metrics().values()
    )
    lines = [
        "# Methods and metrics",
        "",
        "`methods=[...]` chooses which are run, in whatever order: the first of this list that was chosen is the one",
        "each other is held against. `release.method=` names the one that leaves.",
        "",
        *_table(["method", "what it is"], ways),
        "",
        "Every model is scored by all metrics, on the test set and on the public inputs whose true labels are known:",
        "",
        *_table(["metric", "what it is", "better"], measures),
    ]
    return _page(lines)


def _paragraph(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _table(heads: list[str], rows: Iterable[str]) -> list[str]:
    return [_row(*heads), "|" + "---|" * len(heads), *rows]


def _page(lines: Iterable[str]) -> str:
    return f"{GENERATED}\n\n" + re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
