"""A predictor as one ONNX file, written by hand: values are names, an operator makes a new one, arrays are constants.

By hand, because an encoder and a model are a few dozen operators, and like this each of them is one we chose: the file
needs no torch to be made, and no more than the standard operators to be run. Each class writes its own in `to_onnx`,
beside the forward pass that it repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pate.models.predictor import Predictor

OPSET, IR = 18, 8  # of 2022: runtimes since then can read it
INPUT, OUTPUT, ANSWER = "input", "probabilities", "answer"

Value = str | np.ndarray | np.generic | Sequence[int]


class NotExpressible(Exception):
    """Nobody has written this as ONNX operators yet: the release goes without."""


def onnx_model(predictor: Predictor) -> bytes:
    """What `predictor` answers, preprocessing included: raw inputs in, the probability of each class out, any number at
    a time; and where it does not answer the most probable one, the class it answers. A table's rows arrive as numbers:
    `predict.py` makes them."""
    for what, part in (("an encoder", predictor.encoder), ("a model", predictor.model)):
        if "to_onnx" not in type(part).__dict__:  # a base class's does not count: its forward pass may be another one
            raise NotExpressible(f"{what} of kind {type(part).__name__}")
    graph = OnnxGraph()
    x = graph.cast(INPUT, np.float32)
    if predictor.dtype == "uint8":
        x = graph("Div", x, np.float32(255))  # pixels in [0, 1]
    belief, answer = predictor.model.to_onnx(graph, predictor.encoder.to_onnx(graph, x, predictor.shape)), ""
    if predictor.decision is not None:
        answer = predictor.decision.to_onnx(graph, belief, len(predictor.classes))
    return graph.finish(belief, predictor.shape, predictor.dtype, predictor.classes, answer)


class OnnxGraph:
    """Operators in the order in which they are computed, and the constants they read."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[bytes, Any] = {}

    def __call__(self, operator: str, *inputs: Value, **attributes: Any) -> str:
        """The name of what the operator makes of its inputs."""
        return self.several(1, operator, *inputs, **attributes)[0]

    def several(self, outputs: int, operator: str, *inputs: Value, **attributes: Any) -> list[str]:
        """The same for an operator that makes more than one value."""
        from onnx import helper  # here and below, because most runs do without

        names = [f"{operator.lower()}_{len(self._nodes)}_{i}" for i in range(outputs)]
        read = [value if isinstance(value, str) else self._constant(value) for value in inputs]
        self._nodes.append(helper.make_node(operator, read, names, **attributes))
        return names

    def cast(self, value: str, dtype: type[np.generic]) -> str:
        from onnx import helper

        return self("Cast", value, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def wide(self, array: np.ndarray) -> str:
        """A constant to compute with in double precision: stored in its own, and widened when the model is loaded."""
        return self.cast(self("Identity", array), np.double)

    def finish(self, belief: str, shape: Sequence[int], dtype: str, classes: Sequence[str], answer: str = "") -> bytes:
        """The whole model, from one batch of inputs of this shape to their probabilities, and to the class that is
        answered if that has a name of its own; checked."""
        import json

        from onnx import checker, helper

        told: list[tuple[str, str, str, list[str | int]]] = [(OUTPUT, belief, "float32", ["batch", len(classes)])]
        told += [(ANSWER, answer, "int64", ["batch"])] * bool(answer)
        self._nodes += [helper.make_node("Identity", [made], [name]) for name, made, _, _ in told]
        several = [(INPUT, dtype, ["batch", *shape]), *((name, kind, rows) for name, _, kind, rows in told)]
        ends = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), rows)
            for name, kind, rows in several
        ]
        graph = helper.make_graph(self._nodes, "predictor", ends[:1], ends[1:], list(self._constants.values()))
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR, producer_name="pate-pipelines"
        )
        helper.set_model_props(model, {"classes": json.dumps(list(classes))})
        checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())

    def _constant(self, value: np.ndarray | np.generic | Sequence[int]) -> str:
        """A constant that is read twice is stored once."""
        from onnx import numpy_helper

        array = np.asarray(value)
        key = repr((array.dtype, array.shape)).encode() + array.tobytes()
        if key not in self._constants:
            self._constants[key] = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape))
            self._constants[key].name = f"constant_{len(self._constants)}"
        return str(self._constants[key].name)
