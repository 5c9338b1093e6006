"""What operators of an ONNX graph compute, by the runtime."""

import onnxruntime

from pate.models.onnx import INPUT, OnnxGraph


def computed(write, x, width):
    """The `width` numbers a row that `write(graph, input)` makes of x, float32."""
    graph = OnnxGraph()
    answer = graph("Flatten", write(graph, INPUT))
    content = graph.finish(answer, x.shape[1:], "float32", [str(i) for i in range(width)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    running = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return running.run(None, {INPUT: x})[0]
