"""predict: ask a published student (student_path=FOLDER input=FILE); one of your own with owner=true."""

from __future__ import annotations

import numpy as np

from pate.app.verbs.request import Request, warn_of
from pate.errors import ConfigError
from pate.release.predict import INPUTS, OUTPUTS, located, predict, published, read_inputs, write
from pate.release.whose import NO_MANIFEST, owners
from pate.release.withheld import withheld
from pate.report.run.predictions import Predictions, print_predictions
from pate.report.terminal import quiet
from pate.settings import Asked, Settings


def require(settings: Settings) -> None:
    """A student is asked: nothing else of the configuration matters."""
    asked = _asked(settings)
    for name, path in (("student_path", asked.student), ("input", asked.input)):
        try:
            there = path.exists()
        except OSError as error:
            raise ConfigError(f"{name}={path} cannot be read: {error.strerror}") from None
        if not there:
            raise ConfigError(f"{name}={path}: no such file")
    if asked.output is not None and (asked.output.is_dir() or asked.output.resolve() == asked.input.resolve()):
        raise ConfigError(f"output={asked.output}: a folder, or the input itself; name another file")
    if asked.input.suffix.lower() not in INPUTS:
        raise ConfigError(f"input={asked.input}: expected a file that ends in {', '.join(INPUTS)}")
    if asked.output is not None and asked.output.suffix.lower() not in OUTPUTS:
        raise ConfigError(f"output={asked.output}: expected a name that ends in {' or '.join(OUTPUTS)}")
    if (why := owners(located(asked.student))) and not asked.owner:
        raise ConfigError(
            f"student_path={asked.student} is the owner's: {why}. What it answers may not leave either; owner=true "
            "asks it for your own eyes"
        )


def ask(request: Request) -> Predictions:
    """What a student says about new inputs, written to a file; how many it takes for what; and whose all that is."""
    asked = _asked(request.settings)
    student, notes = published(asked.student)
    file = located(asked.student)
    why = owners(file)
    notes = notes if file.with_name("manifest.json").is_file() else [NO_MANIFEST]
    belief = predict(student, read_inputs(asked.input, student), asked.views)
    output = asked.output or request.folder / ("owners_predictions.csv" if why else "predictions.csv")
    answer = student.answers(belief)
    write(output, belief, answer, student.classes, bool(why))
    counts = np.bincount(answer, minlength=len(student.classes)).tolist()
    taken = dict(zip(student.classes, counts, strict=True))
    return Predictions(str(output), len(belief), taken, notes, why)


def tell(request: Request, found: Predictions) -> None:
    if not quiet():
        return print_predictions(found)
    why = f"the owner's model: {found.owners}" if found.owners else withheld(found.notes)
    warn_of(why or "; ".join(note for note in found.notes if note == NO_MANIFEST))
    print(found.output)


def _asked(settings: Settings) -> Asked:
    assert settings.asked is not None  # it is read wherever stage=predict is
    return settings.asked
