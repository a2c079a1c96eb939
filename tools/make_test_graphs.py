"""Writes the graphs of tests/data/graphs with TensorFlow: python -m tools.make_test_graphs.

`<name>.pb` is a GraphDef as TensorFlow wrote it; `<name>.expected.pb` holds, as constants, what
TensorFlow computed with it. They are kept so that real files are read where TensorFlow is not
installed; a test compares them with what this script writes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import op_def_registry

from tests.importing.programs import FILES, PROGRAMS, Program, results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "data" / "graphs"
EXPORTED = ("exported", "exported_frozen", "exported_lowered")
"""Files that `tools.export_test_model` writes."""


def main(arguments: list[str]) -> None:
    """Writes all files into the folder given, or the one they are kept in."""
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    for name, program, graph_def in graphs():
        write(folder, name, program, graph_def)
    # What TensorFlow 2 exports is made where it is TensorFlow 2, and has not counted functions yet.
    subprocess.run(
        [sys.executable, "-m", "tools.export_test_model", str(folder)], cwd=ROOT, check=True
    )
    for name in EXPORTED:
        graph_def = tf.GraphDef.FromString((folder / f"{name}.pb").read_bytes())
        write(folder, name, FILES[name], graph_def)


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
    for name, lengths in (("recurrent", False), ("recurrent_lengths", True)):
        yield name, FILES[name], recurrent(lengths)


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


class LongMemory:
    """A cell of `dynamic_rnn`: an LSTM, as far as such cells need to be."""

    state_size = (4, 4)
    output_size = 4

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros for each sequence of a batch."""
        return tuple(tf.zeros([batch_size, size], dtype) for size in self.state_size)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output and the state after one more element of each sequence."""
        memory, output = state
        with tf.variable_scope(scope or "cell"):
            kernel = tf.get_variable("kernel", [7, 16])
            bias = tf.get_variable("bias", [16], initializer=tf.zeros_initializer())
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, output], 1), kernel), bias)
        take, new, forget, give = tf.split(gates, 4, axis=1)
        memory = memory * tf.sigmoid(forget + 1.0) + tf.sigmoid(take) * tf.tanh(new)
        output = tf.tanh(memory) * tf.sigmoid(give)
        return output, (memory, output)


def recurrent(lengths: bool) -> Any:
    """An LSTM over sequences, with gradients: of one length, or each of a length that is fed."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(2)
        x = tf.placeholder(tf.float32, [3, None, 3] if lengths else [3, 5, 3], name="x")
        sizes = tf.placeholder(tf.int32, [3], name="lengths") if lengths else None
        outputs, (memory, _) = tf.nn.dynamic_rnn(
            LongMemory(), x, sequence_length=sizes, dtype=tf.float32
        )
        tf.identity(outputs, name="y")
        tf.identity(memory, name="z")
        loss = tf.reduce_sum(tf.square(outputs))
        for name, each in zip("gkb", tf.gradients(loss, [x, *tf.global_variables()]), strict=True):
            tf.identity(each, name=name)
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            return tf.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y", "z", "g", "k", "b"]
            )


if __name__ == "__main__":
    main(sys.argv[1:])
