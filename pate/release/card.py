"""MODEL_CARD.md: what a stranger must know before trusting the model, and before trusting its privacy.

Every number in it may be published. What depends on the private data beyond the mechanism, a data-dependent epsilon or
a test score, has no way into this file: it is not among its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pate.accounting.guarantee import given, neighbours
from pate.models.predictor import Predictor
from pate.release.statement import PUBLIC_INPUTS, Statement

FILES = {
    "MODEL_CARD.md": "this card",
    "model.safetensors": "the weights, for `pate stage=predict`",
    "model.json": "what the weights belong to: encoder, kind of model, classes, columns of a table",
    "model.onnx": "the same model with its preprocessing, for any ONNX runtime",
    "predict.py": "an example that runs model.onnx, with numpy and onnxruntime only",
    "labels.npz": "the noisy labels the model learned from: `index` into the public inputs, `label`",
    "manifest.json": "SHA-256 and size of every other file",
}


def card(
    predictor: Predictor,
    statement: Statement,
    notes: Sequence[str],
    files: Iterable[str],
    versions: Mapping[str, str],
    without_onnx: str | None = None,
) -> str:
    """The whole text; `without_onnx` says why there is no ONNX file, if there is none."""
    parts = (
        f"# Model card: {statement.data}, by {statement.method}",
        f"A classifier of {len(predictor.classes)} classes ({_listed(predictor.classes)}). {statement.learned}",
        "## What is promised",
        _promised(statement),
        "## What the promise rests on",
        _bullets(_assumed(statement)),
        "## What it does not cover",
        _bullets(_not_covered(statement, predictor)),
        "## What to use it for",
        _use(predictor),
        "## How to run it",
        _run(predictor, without_onnx),
        "## What is in the folder",
        _table(("file", "what it is"), [(f"`{name}`", what) for name, what in FILES.items() if name in files]),
        "## Notes of the run",
        _bullets(notes) if notes else "None.",
        "## Versions",
        _table(("made with", "version"), list(versions.items())),
    )
    return "\n\n".join(parts) + "\n"


def _promised(statement: Statement) -> str:
    found, another = statement.guarantee, statement.replace_one
    if found is None:
        return (
            "**Nothing that is known here.** The labels came from a file: what they cost, and whether they were drawn "
            "privately at all, only those can tell who drew them. Learning from them cost nothing more.\n\n"
            + _table(("", ""), [("mechanism", statement.mechanism)])
        )
    rows = [
        ("epsilon", f"**{found.shown}** (rounded up)"),
        ("delta", f"**{given(found.delta)}**"),
        ("neighbours", neighbours([found.relation])),
        *([("epsilon if replaced by another", f"{another.shown}, at the same delta")] if another else []),
        ("holds for", "every data set: computed from settings and sizes, not from records or votes"),
        ("accountant", found.accountant),
        ("by", found.theorem),
        ("mechanism", statement.mechanism),
        *statement.facts,
        *([("this model", statement.chosen.claim)] if statement.chosen else []),
    ]
    return _table(("", ""), rows) + (
        "\n\nThat is: let two sets of private records differ as said under *neighbours*. Whatever event one may look "
        "for in what is published, its probability under the one set is at most exp(epsilon) times that under the "
        "other, plus delta. Everything in this folder is covered by it together: whatever does not come from the "
        "mechanism was made from its answers and from public data."
    )


def _assumed(statement: Statement) -> Iterable[str]:
    yield statement.trusted
    if statement.guarantee is None:
        return
    generator = "**The noise** came from a cryptographic generator of the operating system's, and nobody knows it. "
    if statement.exact_noise:
        yield generator + "It is discrete, drawn by an exact sampler, so that rounding leaks nothing."
    else:
        yield generator + (
            "It is continuous in the proof and floating point in the computer. The proof does not cover the "
            "difference, and for some such samplers an attack is known (Mironov 2012)."
        )
    yield from statement.rests_on
    yield "**The number of private records** and the names of the classes count as known to everybody."


def _not_covered(statement: Statement, predictor: Predictor) -> Iterable[str]:
    yield (
        "**Tuning on private data.** If settings were chosen by looking at how they do on the private records, or at "
        "scores computed from them, that choice tells something too, and no epsilon here counts it."
    )
    if statement.chosen:
        yield statement.chosen.sentence(priced=statement.guarantee is not None)
    total = ""
    if statement.account:
        known = ", ".join(f"{name} {value}" for name, value in statement.account.items())
        total = f" All of them so far, this one included, fit a budget fixed in advance of: {known}."
    yield (
        "**Other releases from the same records.** Prices add up: another model, another draw of labels, a statistic "
        f"published elsewhere.{total}"
    )
    for point in statement.not_covered:
        carried = predictor.model.carried if point == PUBLIC_INPUTS else ""
        yield f"{point} This model carries {carried}." if carried else point
    if statement.guarantee is None or not statement.guarantee.relation.group:
        yield "**Several records of one person.** The promise is for one record; k of them weaken it k-fold or more."
    yield (
        "**What is true of everybody.** A model that predicts well says something about people like those it learned "
        "from, whether or not they took part; the promise is that taking part made little difference."
    )
    yield "**Computers and people**: time and memory traces, logs and backups where the private records are kept."


def _use(predictor: Predictor) -> str:
    decision = predictor.decision
    decided = f"\n\nIt does not answer its most probable class: {decision.told(predictor.classes)}." if decision else ""
    return (
        "For inputs like those it learned from, where a wrong answer now and then does no harm, and for research on "
        "private learning. Not for decisions about a person without somebody who can check and overrule it.\n\n"
        "This card gives no accuracy: scores are computed from test data of the owner, and belong to them. Measure it "
        "on data of your own first, class by class: noise and few labels hurt rare classes most. Its probabilities are "
        "a ranking of classes, not a measured frequency."
    ) + decided


def _run(predictor: Predictor, without_onnx: str | None) -> str:
    text = f"It reads {_reads(predictor)}.\n\n"
    if without_onnx is None:
        text += (
            "```\npip install numpy onnxruntime\npython predict.py INPUT answers.csv\n```\n\n"
            "`answers.csv` has a line an input: its class and how probable the model takes it to be; `answers.npz` "
            "instead holds every class's probability. In code: "
            '`onnxruntime.InferenceSession("model.onnx").run(None, {"input": x})`, any number of inputs at a time. '
        )
        if predictor.columns is not None:
            text += "There, x are a table's rows as numbers: `predict.py` shows how `model.json` makes them. "
    else:
        text += f"There is no `model.onnx`: {without_onnx} cannot be written as ONNX operators yet. "
    text += "With pate-pipelines:\n\n```\npate stage=predict student_path=FOLDER input=INPUT\n```"
    if predictor.model.viewed:
        text += f"\n\nThere, `views=true` gives the mean over {predictor.model.viewed}, which it was made for."
    return text


def _reads(predictor: Predictor) -> str:
    if predictor.columns is not None:
        numeric = _listed([entry[0] for entry in predictor.columns["numeric"]], 100)
        categorical = _listed([entry[0] for entry in predictor.columns["categorical"]], 100)
        dates = _listed([entry[0] for entry in predictor.columns.get("dates", ())], 100)
        more = f"; dates that begin with the year {dates}" if predictor.columns.get("dates") else ""
        return f"csv tables with these columns, in any order: numbers {numeric}{more}; categories {categorical}"
    low, high = predictor.encoder.low, predictor.encoder.high
    values = "" if low is None or high is None else f", values from {low:g} to {high:g} as in the public inputs"
    shape = " x ".join(["n", *map(str, predictor.shape)])
    return f"npy files, or npz files with an array `x`: {predictor.dtype}, {shape}{values}"


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(f"`{name}`" for name in names[:most]) or "none") + more


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(header: tuple[str, str], rows: Sequence[tuple[str, str]]) -> str:
    cells = [header, ("---", "---"), *rows]
    return "\n".join(f"| {left} | {right} |" for left, right in cells)
