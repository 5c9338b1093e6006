"""A predictor as one ONNX file: raw inputs in, the probability of each class out, any number at a time."""

from __future__ import annotations

from pate.models.predictor import Predictor
from pate.release.onnx_encoder import rows
from pate.release.onnx_graph import Graph
from pate.release.onnx_models import probabilities


def onnx_model(predictor: Predictor) -> bytes:
    """What `predictor` answers, preprocessing included. A table's rows arrive as numbers: `predict.py` makes them."""
    graph = Graph()
    seen = rows(graph, predictor.encoder, predictor.shape, predictor.dtype)
    answer = probabilities(graph, predictor.model, seen)
    return graph.finish(answer, predictor.shape, predictor.dtype, predictor.classes)
