"""MODEL_CARD.md: what a stranger must know before trusting the model, and before trusting its privacy.

Every number in it may be published. What depends on the private data beyond the mechanism, a data-dependent epsilon or
a test score, has no way into this file: it is not among its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pate.accounting.price import shown
from pate.models.predictor import Predictor
from pate.release.statement import Promise

FILES = {
    "MODEL_CARD.md": "this card",
    "model.safetensors": "the weights, for `pate stage=predict`",
    "model.json": "what the weights belong to: encoder, kind of model, classes, columns of a table",
    "model.onnx": "the same model with its preprocessing, for any ONNX runtime",
    "predict.py": "an example that runs model.onnx, with numpy and onnxruntime only",
    "labels.npz": "the noisy labels the model learned from: `index` into the public inputs, `label`",
    "manifest.json": "SHA-256 and size of every other file",
}
_LEARNED = {
    "PATE": (
        "Teachers learned on disjoint parts of the private records and voted on public inputs. A noisy count of their "
        "votes labelled some of those inputs, and this model, the student, learned from public inputs and these noisy "
        "labels alone."
    ),
    "DP-SGD": (
        "It learned from the private records by DP-SGD: every step saw a random lot of them, and only through a sum of "
        "clipped gradients to which noise was added."
    ),
}


def card(
    predictor: Predictor,
    promise: Promise,
    notes: Sequence[str],
    files: Iterable[str],
    versions: Mapping[str, str],
    without_onnx: str | None = None,
) -> str:
    """The whole text; `without_onnx` says why there is no ONNX file, if there is none."""
    parts = (
        f"# Model card: {promise.data}, by {promise.method}",
        f"A classifier of {len(predictor.classes)} classes ({_listed(predictor.classes)}). {_LEARNED[promise.method]}",
        "## What is promised",
        _promised(promise),
        "## What the promise rests on",
        _bullets(_assumed(promise)),
        "## What it does not cover",
        _bullets(_not_covered(promise, predictor)),
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


def _promised(promise: Promise) -> str:
    if promise.epsilon is None:
        return (
            "**Nothing that is known here.** The labels came from a file: what they cost, and whether they were drawn "
            "privately at all, only those can tell who drew them. Learning from them cost nothing more.\n\n"
            + _table(("", ""), [("mechanism", promise.mechanism)])
        )
    assert promise.delta is not None
    rows = [
        ("epsilon", f"**{shown(promise.epsilon)}** (rounded up)"),
        ("delta", f"**{promise.delta:g}**"),
        ("neighbours", promise.relation),
        ("holds for", "every data set: computed from settings and sizes, not from records or votes"),
        ("accountant", promise.accountant),
        ("by", promise.theorem),
        ("mechanism", promise.mechanism),
    ]
    if promise.epsilon_replace_one is not None:
        rows.insert(3, ("epsilon if replaced by another", f"{shown(promise.epsilon_replace_one)}, at the same delta"))
    if promise.queries is not None:
        rows.append(("queries", f"{promise.queries}, every one of them paid for, answered or not"))
    if promise.teachers is not None:
        rows.append(("teachers", str(promise.teachers)))
    return _table(("", ""), rows) + (
        "\n\nThat is: let two sets of private records differ as said under *neighbours*. Whatever event one may look "
        "for in what is published, its probability under the one set is at most exp(epsilon) times that under the "
        "other, plus delta. Everything in this folder is covered by it together: whatever does not come from the "
        "mechanism was made from its answers and from public data."
    )


def _assumed(promise: Promise) -> Iterable[str]:
    if promise.method == "PATE":
        yield (
            "**A trusted aggregator.** Whoever trained the teachers, counted their votes and added the noise saw what "
            "is private, and is trusted to have kept it. The promise is about what was published, not about them."
        )
    else:
        yield (
            "**A trusted trainer.** Whoever ran the training saw the private records, and is trusted to have kept "
            "them; no gradient, loss or model from along the way was published."
        )
    if promise.epsilon is None:
        return
    generator = "**The noise** came from a cryptographic generator of the operating system's, and nobody knows it. "
    if promise.exact_noise:
        yield generator + "It is discrete, drawn by an exact sampler, so that rounding leaks nothing."
    else:
        yield generator + (
            "It is continuous in the proof and floating point in the computer. The proof does not cover the "
            "difference, and for some such samplers an attack is known (Mironov 2012)."
        )
    if promise.method == "PATE":
        who = "all records of one group" if promise.relation.startswith("all records") else "each record"
        yield (
            f"**The split.** Which records are private does not depend on what is in them, {who} reached one teacher "
            "only, and no private record is among the public inputs."
        )
        if promise.adaptive:
            yield (
                "**The queries** were chosen in rounds from public inputs and earlier noisy answers. The epsilon above "
                "is the sum of worst cases, and holds for queries chosen like that."
            )
        else:
            yield (
                "**The queries** were chosen from public inputs. The epsilon above holds however that was done, also "
                "by looking at earlier answers."
            )
    else:
        yield "**The lots.** Each step drew each record on its own, by chance, and its plan was fixed before the first."
    yield "**The number of private records** and the names of the classes count as known to everybody."


def _not_covered(promise: Promise, predictor: Predictor) -> Iterable[str]:
    yield (
        "**Tuning on private data.** If settings were chosen by looking at how they do on the private records, or at "
        "scores computed from them, that choice tells something too, and no epsilon here counts it."
    )
    total = ""
    if promise.account:
        known = ", ".join(f"{name} {value}" for name, value in promise.account.items())
        total = f" All of them so far, this one included, fit a budget fixed in advance of: {known}."
    yield (
        "**Other releases from the same records.** Prices add up: another model, another draw of labels, a statistic "
        f"published elsewhere.{total}"
    )
    if promise.method == "PATE":
        carried = predictor.model.carried
        more = f" This model carries {carried}." if carried else ""
        yield f"**The public inputs.** They are not protected.{more}"
    if not promise.relation.startswith("all records"):
        yield "**Several records of one person.** The promise is for one record; k of them weaken it k-fold or more."
    yield (
        "**What is true of everybody.** A model that predicts well says something about people like those it learned "
        "from, whether or not they took part; the promise is that taking part made little difference."
    )
    yield "**Computers and people**: time and memory traces, logs and backups where the private records are kept."


def _use(predictor: Predictor) -> str:
    return (
        "For inputs like those it learned from, where a wrong answer now and then does no harm, and for research on "
        "private learning. Not for decisions about a person without somebody who can check and overrule it.\n\n"
        "This card gives no accuracy: scores are computed from test data of the owner, and belong to them. Measure it "
        "on data of your own first, class by class: noise and few labels hurt rare classes most. Its probabilities are "
        "a ranking of classes, not a measured frequency."
    )


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
