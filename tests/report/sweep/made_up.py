"""Runs and sweeps that nobody ran: their results, their jobs and their folders."""

import json

from pate.report.sweep.jobs import Job, groups
from tests.evaluation.made_up import typed

GAMMAS = [0.05, 1.0]


def method(name="pate", **known):
    facts = {"epsilon": 1.0, "delta": 1e-4, "epsilon_publishable": 2.0, "guarantee": "this data set"}
    return {"name": name, **facts, "relation": "one record replaced by nothing", "accuracy": None} | known


def facts(*, methods=(), quality=None, notes=(), stages=None):
    """Of a made-up run, as the first version wrote them."""
    pate = dict.fromkeys(("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"))
    return {
        "methods": list(methods),
        "pate": pate,
        "quality": quality,
        "stages": stages or {},
        "config": {"dataset": {"name": "digits", "path": None}, "aggregator": {"gamma": 0.2}},
        "notes": list(notes),
    }


def job(name, overrides, *, finished=True, **known):
    return Job(
        name, dict(pair.split("=", 1) for pair in overrides.split()), typed(facts(**known)) if finished else None
    )


def quality(right, at):
    return {"teachers": 5, "label_accuracy": right, "plurality_accuracy": 0.9, "gammas": GAMMAS, "accuracy_at": at}


def stored(reused, key="k"):
    return {"votes": {"key": "v", "reused": True}, "labels": {"key": key, "reused": reused}}


def words(capsys):
    return " ".join(capsys.readouterr().out.split())


def write(folder, overrides, results=None):
    (folder / ".hydra").mkdir(parents=True, exist_ok=True)
    (folder / ".hydra" / "overrides.yaml").write_text("".join(f"- {one}\n" for one in overrides))
    if results is not None:
        (folder / "results.json").write_text(json.dumps(results))


def configurations(*rows):
    return groups([job(str(n), f"gamma={n}", methods=methods, notes=notes) for n, (methods, notes) in enumerate(rows)])


CONFIG = {
    "dataset": {"_target_": "pate.data.digits.Digits", "name": "digits", "path": None, "seed": 0, "private": 1200},
    "student": {"_target_": "pate.students.supervised.Supervised", "inverse_penalty": 1.0},
    "aggregator": {"_target_": "pate.aggregation.lnmax.LNMax", "gamma": 0.2},
    "labels": {"queries": 100},
    "delta": 1e-4,
    "seed": 0,
    "noise": {"seed": None},
    "n_jobs": 1,
    "workspace": "workspace",
}


def ran(folder, key=None, changes=None, **known):
    """A run's folder, as a run leaves it."""
    found = facts(methods=[method(accuracy=0.9) | known])
    config = json.loads(json.dumps(CONFIG))
    for dotted, value in (changes or {}).items():
        *path, last = dotted.split(".")
        place = config
        for name in path:
            place = place[name]
        place[last] = value
    found |= {"config": config, "stages": {"labels": {"key": key or folder.name, "reused": False}}}
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps(found))
    return str(folder)
