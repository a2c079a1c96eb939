"""Writes a model as TensorFlow 2 exports it: python -m tools.export_test_model FOLDER.

`exported.pb` is the graph of a SavedModel, `exported_frozen.pb` the frozen function, and
`exported_lowered.pb` the same with its loop made of Switch and Merge. They are made in a process of
their own, since names of functions count what was traced before.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2


def main(arguments: list[str]) -> None:
    """Writes the files."""
    for name, graph_def in exported().items():
        path = Path(arguments[0]) / f"{name}.pb"
        path.write_bytes(graph_def.SerializeToString(deterministic=True))


def exported() -> dict[str, Any]:
    """A model with functions, as TensorFlow 2 exports it: with its variables, and frozen."""
    random = np.random.default_rng(5)

    def weights(*shape: int) -> np.ndarray[Any, Any]:
        return random.normal(0, 0.5, shape).astype(np.float32)

    class Model(tf.Module):  # type: ignore[misc]
        """Reads rows one after the other, then decides by what it has seen."""

        def __init__(self) -> None:
            self.inner = tf.Variable(weights(3, 4), name="inner")
            self.outer = tf.Variable(weights(4, 4), name="outer")
            self.heads = [tf.Variable(weights(4, 2), name=f"head_{i}") for i in range(3)]

        @tf.function
        def cell(self, row: Any, state: Any) -> Any:
            return tf.tanh(row @ self.inner + state @ self.outer)

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, 2, 3], tf.float32, name="rows"),
                tf.TensorSpec([], tf.int32, name="head"),
            ]
        )
        def __call__(self, rows: Any, head: Any) -> Any:
            seen = tf.TensorArray(tf.float32, tf.shape(rows)[0], element_shape=[2, 4])
            state = tf.zeros([2, 4])
            for place in tf.range(tf.shape(rows)[0]):
                state = self.cell(rows[place], state)
                if tf.reduce_max(state) > 0.9:
                    state = state * 0.5
                seen = seen.write(place, state)
            chosen = tf.switch_case(head, [lambda w=w: state @ w for w in self.heads])
            return {"scores": tf.nn.softmax(chosen), "states": seen.stack()}

    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        saved = SavedModel.FromString((Path(folder) / "saved_model.pb").read_bytes())
    (meta_graph,) = saved.meta_graphs
    frozen, lowered = (
        convert_variables_to_constants_v2(
            model.__call__.get_concrete_function(), lower_control_flow=lower
        ).graph.as_graph_def()
        for lower in (False, True)
    )
    return {
        "exported": with_initializer(meta_graph.graph_def, model.variables),
        "exported_frozen": frozen,
        "exported_lowered": lowered,
    }


def with_initializer(graph_def: Any, variables: Any) -> Any:
    """The graph with an operation `init` that gives the variables the values they have.

    What its signature returns is called `scores` and `states`.
    """
    values = {variable.name.removesuffix(":0"): variable.numpy() for variable in variables}
    start = NodeDef(name="init", op="NoOp")
    for node in [node for node in graph_def.node if node.op == "VarHandleOp"]:
        value = values[node.attr["shared_name"].s.decode()]
        constant = graph_def.node.add(name=f"{node.name}/value", op="Const")
        constant.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        assign = graph_def.node.add(name=f"{node.name}/assign", op="AssignVariableOp")
        assign.input.extend([node.name, constant.name])
        for made in (constant, assign):
            made.attr["dtype"].CopyFrom(node.attr["dtype"])
        start.input.append(f"^{assign.name}")
    start.input.sort()
    graph_def.node.append(start)
    for name, output in (("scores", ""), ("states", ":1")):
        result = graph_def.node.add(name=name, op="Identity")
        result.input.append(f"StatefulPartitionedCall{output}")
        result.attr["T"].type = tf.float32.as_datatype_enum
    return graph_def


if __name__ == "__main__":
    main(sys.argv[1:])
