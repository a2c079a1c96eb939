"""Writes frozen graphs and their answers: `python -m tests.frozen.freeze FOLDER NAME ...`.

Each is written as it is, and as TensorFlow's optimizer leaves it, with fused nodes. It is a process
of its own since tests turn TensorFlow's eager execution off.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2,
)
from tensorflow.python.grappler import tf_optimizer

from tests.frozen.nets import NETS, Net

INITIALIZER = "fill_tables"
"""The name of the operation that fills tables, where there are some."""


def freeze(net: Net) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The graphs by their kind, and the arrays by the names of tensors, with "out" before some."""
    if net.in_graph:
        return _in_graph(net)
    specs = [tf.TensorSpec([None, *each.shape[1:]], tf.as_dtype(each.dtype)) for each in net.inputs]
    concrete = tf.function(net.function).get_concrete_function(*specs)
    frozen = convert_variables_to_constants_v2(concrete)
    answers = [each.numpy() for each in tf.nest.flatten(concrete(*map(tf.constant, net.inputs)))]
    graph = frozen.graph.as_graph_def()
    return _kinds(graph, frozen.inputs, frozen.outputs), _arrays(
        frozen.inputs, net.inputs, frozen.outputs, answers
    )


def _in_graph(net: Net) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        inputs = [
            tf.compat.v1.placeholder(tf.as_dtype(each.dtype), [None, *each.shape[1:]])
            for each in net.inputs
        ]
        outputs = tf.nest.flatten(net.function(*inputs))
        session.run(tf.compat.v1.tables_initializer(INITIALIZER))
        answers = session.run(outputs, dict(zip(inputs, net.inputs, strict=True)))
        arrays = _arrays(inputs, net.inputs, outputs, answers)
        return _kinds(graph.as_graph_def(), inputs, outputs), arrays


def _arrays(inputs: Any, fed: Any, outputs: Any, answers: Any) -> dict[str, np.ndarray]:
    arrays = {tensor.name: each for tensor, each in zip(inputs, fed, strict=True)}
    names = [f"out {tensor.name}" for tensor in outputs]
    return arrays | dict(zip(names, answers, strict=True))


def _kinds(graph_def: Any, inputs: Any, outputs: Any) -> dict[str, Any]:
    names = [tensor.op.name for tensor in outputs]
    if any(node.name == INITIALIZER for node in graph_def.node):
        names.append(INITIALIZER)
    return {"plain": graph_def, "fused": _optimized(graph_def, inputs, names)}


def _optimized(graph_def: Any, inputs: Any, fetched: list[str]) -> Any:
    meta_graph = meta_graph_pb2.MetaGraphDef(graph_def=graph_def)
    for node in meta_graph.graph_def.node:
        # Only what has a device is fused.
        node.device = "/job:localhost/replica:0/task:0/device:CPU:0"
    fetches = meta_graph.collection_def["train_op"].node_list.value
    fetches.extend(fetched)
    for tensor in inputs:
        info = meta_graph.signature_def["s"].inputs[tensor.name]
        info.name, info.dtype = tensor.name, tensor.dtype.as_datatype_enum
        info.tensor_shape.CopyFrom(tensor.shape.as_proto())
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.optimizers.extend(["constfold", "remap", "remap"])
    config.graph_options.rewrite_options.min_graph_nodes = -1
    return tf_optimizer.OptimizeGraph(config, meta_graph)


def main(folder: Path, names: list[str]) -> None:
    """Writes NAME.KIND.pb and NAME.npz."""
    for name in names:
        tf.keras.backend.clear_session()
        graphs, arrays = freeze(NETS[name]())
        for kind, graph in graphs.items():
            (folder / f"{name}.{kind}.pb").write_bytes(graph.SerializeToString())
        np.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(NETS))
