"""Writes the graphs of tests/data/graphs with TensorFlow: python -m tools.make_test_graphs.

`<name>.pb` is a GraphDef as TensorFlow wrote it; `<name>.expected.pb` holds, as constants, what
TensorFlow computed with it. They are kept so that real files are read where TensorFlow is not
installed; a test compares them with what this script writes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tests.graph_def.programs import FILES, PROGRAMS, Program, results

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "graphs"


def main(arguments: list[str]) -> None:
    """Writes all files into the folder given, or the one they are kept in."""
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    # What TensorFlow 2 exports is made first, while it is TensorFlow 2.
    for name, graph_def in exported().items():
        write(folder, name, FILES[name], graph_def)
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    for name, program, graph_def in graphs():
        write(folder, name, program, graph_def)


def write(folder: Path, name: str, program: Program, graph_def: Any) -> None:
    """Writes a graph and what TensorFlow computes with it."""
    (folder / f"{name}.pb").write_bytes(graph_def.SerializeToString(deterministic=True))
    expected = constants(program, results(tf, graph_def, program))
    (folder / f"{name}.expected.pb").write_bytes(expected.SerializeToString(deterministic=True))
    print(name)


def graphs() -> Iterator[tuple[str, Program, Any]]:
    """Names, programs and GraphDefs of the files."""
    for name, program in PROGRAMS.items():
        with tf.Graph().as_default() as graph:
            program.build(tf)
        yield name, program, graph.as_graph_def()
        if name == "convolution":
            yield "stripped", FILES["stripped"], stripped(graph.as_graph_def())
    yield "frozen", FILES["frozen"], frozen()


def constants(program: Program, values: list[np.ndarray[Any, Any]]) -> Any:
    """The values as constants named like the fetches."""
    graph_def = tf.GraphDef()
    for name, value in zip(program.fetches, values, strict=True):
        node = graph_def.node.add(name=name.partition(":")[0], op="Const")
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        node.attr["dtype"].type = node.attr["value"].tensor.dtype
    return graph_def


def stripped(graph_def: Any) -> Any:
    """The graph as an old writer might have left it: without attrs that have their default."""
    for node in graph_def.node:
        for attr in op_def_registry.get(node.op).attr:
            if attr.HasField("default_value") and node.attr[attr.name] == attr.default_value:
                del node.attr[attr.name]
    graph_def.versions.producer = 21
    return graph_def


def exported() -> dict[str, Any]:
    """A model with functions, as TensorFlow 2 exports it: with its variables, and frozen."""
    random = np.random.default_rng(5)

    def weights(*shape: int) -> np.ndarray[Any, Any]:
        return random.normal(0, 0.5, shape).astype(np.float32)

    class Model(tf2.Module):  # type: ignore[misc]
        """Reads rows one after the other, then decides by what it has seen."""

        def __init__(self) -> None:
            self.inner = tf2.Variable(weights(3, 4), name="inner")
            self.outer = tf2.Variable(weights(4, 4), name="outer")
            self.heads = [tf2.Variable(weights(4, 2), name=f"head_{i}") for i in range(3)]

        @tf2.function
        def cell(self, row: Any, state: Any) -> Any:
            return tf2.tanh(row @ self.inner + state @ self.outer)

        @tf2.function(
            input_signature=[
                tf2.TensorSpec([None, 2, 3], tf2.float32, name="rows"),
                tf2.TensorSpec([], tf2.int32, name="head"),
            ]
        )
        def __call__(self, rows: Any, head: Any) -> Any:
            seen = tf2.TensorArray(tf2.float32, tf2.shape(rows)[0], element_shape=[2, 4])
            state = tf2.zeros([2, 4])
            for place in tf2.range(tf2.shape(rows)[0]):
                state = self.cell(rows[place], state)
                if tf2.reduce_max(state) > 0.9:
                    state = state * 0.5
                seen = seen.write(place, state)
            chosen = tf2.switch_case(head, [lambda w=w: state @ w for w in self.heads])
            return {"scores": tf2.nn.softmax(chosen), "states": seen.stack()}

    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        tf2.saved_model.save(model, folder)
        saved = SavedModel.FromString((Path(folder) / "saved_model.pb").read_bytes())
    (meta_graph,) = saved.meta_graphs
    function = convert_variables_to_constants_v2(
        model.__call__.get_concrete_function(), lower_control_flow=False
    )
    return {
        "exported": with_initializer(meta_graph.graph_def, model.variables),
        "exported_frozen": function.graph.as_graph_def(),
    }


def with_initializer(graph_def: Any, variables: Any) -> Any:
    """The graph with an operation `init` that gives the variables the values they have.

    What its signature returns is called `scores` and `states`.
    """
    values = {variable.name.removesuffix(":0"): variable.numpy() for variable in variables}
    start = tf.NodeDef(name="init", op="NoOp")
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


def frozen() -> Any:
    """A small classifier, trained for a few steps and frozen."""
    random = np.random.default_rng(4)
    pictures = random.uniform(0, 1, (64, 8, 8, 1)).astype(np.float32)
    kinds = (pictures[:, :4].sum((1, 2, 3)) > pictures[:, 4:].sum((1, 2, 3))).astype(np.int64)
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        with tf.variable_scope("conv"):
            kernel = tf.get_variable("kernel", [3, 3, 1, 4])
            bias = tf.get_variable("bias", [4], initializer=tf.zeros_initializer())
            hidden = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, kernel, 1, "SAME"), bias))
            hidden = tf.nn.max_pool(hidden, 2, 2, "SAME")
        with tf.variable_scope("dense", use_resource=True):
            flat = tf.reshape(hidden, [-1, 64])
            weights = tf.get_variable("weights", [64, 2])
            logits = tf.matmul(flat, weights) + tf.get_variable("bias", [2])
        probabilities = tf.nn.softmax(logits, name="probabilities")
        names = tf.constant(["bottom", "top"], name="names")
        tf.gather(names, tf.argmax(probabilities, 1), name="label")
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(20):
                session.run(step, {images: pictures, labels: kinds})
            return tf.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(add_shapes=True), ["probabilities", "label"]
            )


if __name__ == "__main__":
    main(sys.argv[1:])
