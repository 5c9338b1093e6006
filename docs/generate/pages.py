"""The pages of docs/reference: stages from their declarations and docstrings, exit codes from the errors."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from docs.generate.accountants import accountants
from docs.generate.declared import declared
from docs.generate.keys import CONF, GROUPS, Key, choices, group_keys, header, own_keys, root_keys
from docs.generate.tables import page, paragraph, row, table


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
        *table(["key", "type", "default", "meaning"], (row(*key.cells()) for key in root_keys())),
    ]
    for group, what in GROUPS.items():
        lines += ["", f"## `{group}=`: {what}", "", *_group(group)]
    for key, several in own_keys().items():
        lines += ["", f"## `{key}`: what the method of this name brings", ""]
        lines += table(["key", "type", "default", "meaning"], (row(*one.cells()) for one in several))
    lines += ["", "## `+experiment=`: ready-made settings", ""]
    lines += table(["`+experiment=`", "what it is"], (row(f"`{name}`", _about(name)) for name in choices("experiment")))
    return page(lines)


def _about(experiment: str) -> str:
    """Its header without the command, which is the same for all."""
    told = header((CONF / "experiment" / f"{experiment}.yaml").read_text())
    return told.replace(f"pate +experiment={experiment} ", "", 1)


def _group(group: str) -> Iterator[str]:
    keys = group_keys(group)
    about = {name: header((CONF / group / f"{name}.yaml").read_text()) for name in keys}
    yield from table([f"`{group}=`", "what it is"], (row(f"`{name}`", told) for name, told in about.items()))
    same = [key for key in next(iter(keys.values())) if all(_shares(key, several) for several in keys.values())]
    names = {key.name for key in same}
    if same and len(keys) > 1:
        yield from ["", "Keys of every choice:", ""]
        heads = ["key", "type", "meaning", *(f"`{name}`" for name in keys)]
        yield from table(heads, (_common(key, keys) for key in same))
    for name, several in keys.items():
        own = several if len(keys) == 1 else [key for key in several if key.name not in names]
        if own:
            yield from ["", f"`{group}={name}`:", ""]
            yield from table(["key", "type", "default", "meaning"], (row(*key.cells()) for key in own))


def _shares(key: Key, several: list[Key]) -> bool:
    return any((key.name, key.meaning) == (one.name, one.meaning) for one in several)


def _common(key: Key, keys: dict[str, list[Key]]) -> str:
    forms = [next(one for one in several if one.name == key.name) for several in keys.values()]
    widest = max((one.type for one in forms), key=len)
    return row(f"`{key.name}`", widest, key.meaning, *(f"`{one.default}`" for one in forms))


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
    rows = [row(f"`{name}`", told[name]) for name in asked() if name not in made]
    lines += [*table(["`stage=`", "not a stage of the flow"], rows), ""]
    for name in sorted(made, key=lambda name: asked().index(name) if name in asked() else len(asked())):
        lines += [f"## `{name}`", "", *_stage(made[name]), ""]
    return page(lines)


def _stage(forms: list[Any]) -> Iterator[str]:
    yield paragraph(inspect.getdoc(sys.modules[forms[0].function.__module__]) or "").partition(": ")[2]
    yield ""
    for one in forms:
        told = inspect.getdoc(one.function)
        if len(forms) > 1:
            yield f"*{one.function.__name__.strip('_').replace('_', ' ')}*" + (f": {paragraph(told)}" if told else "")
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


def codes() -> dict[int, list[str]]:
    """The exit codes of errors, with what each kind of error is."""
    from pate import errors

    found: dict[int, list[str]] = {}
    for one in vars(errors).values():
        if isinstance(one, type) and issubclass(one, errors.PateError):
            found.setdefault(one.exit_code, []).append(f"`{one.__name__}`: {paragraph(inspect.getdoc(one) or '')}")
    return found


def exit_codes() -> str:
    """What a script may rely on."""
    said = {0: "Done.", 1: "Failed, or a job of a sweep did; the command that resumes is printed."}
    said |= {2: "The configuration, or a file it names, is wrong; one line says what."}
    said |= {3: "The budget does not allow it; nothing was drawn.", 130: "Interrupted; the same command goes on."}
    kinds = codes()
    rows = (row(str(code), said.get(code, ""), " ".join(kinds.get(code, []))) for code in sorted({*said, *kinds}))
    lines = ["# Exit codes", "", *table(["code", "meaning", "errors (`pate.errors`)"], rows), ""]
    lines += ["From Python the same errors are raised: `pate.run([...])` raises `pate.errors.ConfigError` and so on."]
    return page(lines)


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
        "Files of versions 1 (which names none) and 2 are read too.",
        "",
    ]
    for name in ("Results", *(name for name in defined if name != "Results")):
        lines += [f"## {name}", "", paragraph(defined[name]["description"]), ""]
        rows = (row(f"`{key}`", _type(kind)) for key, kind in defined[name]["properties"].items())
        lines += [*table(["key", "type"], rows), ""]
    return page(lines)


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

    ways = (row(f"`{key}`", paragraph(inspect.getdoc(type(one)) or "")) for key, one in known().items())
    measures = (
        row(f"`{one.name}`", paragraph(inspect.getdoc(sys.modules[one.function.__module__]) or ""), one.better)
        for one in all_metrics().values()
    )
    lines = [
        "# Methods and metrics",
        "",
        "`methods=[...]` chooses which are run, in whatever order. `release.method=` names the one that leaves.",
        "",
        *table(["method", "what it is"], ways),
        "",
        "Every model is scored by all metrics, on the test set and on the public inputs whose true labels are known.",
        "`compare.metric=` names the one that decides which model is better ([the measure](../explanation/report.md)):",
        "",
        *table(["metric", "what it is", "better"], measures),
    ]
    return page(lines)
