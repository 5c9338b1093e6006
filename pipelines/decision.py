"""decision: which class a model answers, told by its own probabilities over public inputs. Post-processing: it costs
nothing, reads no label, and draws nothing again."""

from dataclasses import replace

import numpy as np

from pate.data.split import Public
from pate.features.encoder import Encoded, Encoder
from pate.models.predictor import Predictor
from pate.settings import Settings
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, stage

from .artifacts import (
    DPSGD,
    DPSGD_DECIDED,
    DPSGD_PUBLISHABLE,
    DPSGD_PUBLISHABLE_DECIDED,
    ENCODER,
    OWNERS_DPSGD,
    OWNERS_DPSGD_DECIDED,
    PUBLIC,
    PUBLIC_FEATURES,
)

DECIDED = "models need not answer the most probable class: they decide by their own probabilities over public inputs"
BY_PRIORS = "without public inputs DP-SGD's model decides by the declared priors"
UNDECIDED = "without public inputs and dataset.priors DP-SGD's model answers the most probable class"
POOL = "the public inputs"
_AFTER = {DPSGD: DPSGD_DECIDED, OWNERS_DPSGD: OWNERS_DPSGD_DECIDED, DPSGD_PUBLISHABLE: DPSGD_PUBLISHABLE_DECIDED}


def decided(run: Run, predictor: Predictor, rows: np.ndarray, over: str = POOL) -> Predictor:
    """The same model, which answers as this run wants; `rows` are what it reads of the inputs `over` which it is
    asked."""
    deciding = run.settings.deciding
    if not deciding.asked:
        return predictor
    decision = deciding.decision(predictor.model.proba(rows), predictor.classes, over)
    note = DECIDED if len(rows) else UNDECIDED if decision is None else BY_PRIORS
    run.notes += (note,) * (over == POOL)
    told = decision.told(predictor.classes) if decision else "the most probable class is answered"
    run.summary = "; ".join(filter(None, [run.summary, told]))
    return replace(predictor, decision=decision)


def _decision(model: Ref) -> Stage:
    """Its own stage where the model was drawn: another decision is no other draw."""

    def decide(run: Run, public: Public, encoder: Encoder, public_features: Encoded, **made: Predictor) -> Predictor:
        """How the model of DP-SGD decides which class it answers"""
        trained = made[model.name]
        return decided(run, trained, trained.rows_at_hand(public.x, encoder, public_features.x))

    return stage(
        name=_AFTER[model].name,
        reads=[PUBLIC, ENCODER, PUBLIC_FEATURES, model],
        writes=[_AFTER[model]],
        config=["deciding"],
    )(decide)


_STAGES = {model: _decision(model) for model in _AFTER}


def answering(settings: Settings, model: Ref) -> tuple[Ref, list[Stage]]:
    """The model that answers as the run wants, and the stages that make it of one that was drawn."""
    return (_AFTER[model], [_STAGES[model]]) if settings.deciding.asked else (model, [])
