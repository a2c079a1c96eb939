"""What programs reach through TensorFlow's modules, since these import it."""

from __future__ import annotations

from pathlib import Path

from tests.porting.test_run import run

PROGRAM = """
import collections
import numpy
import time
from tensorflow.core.framework import node_def_pb2
from tensorflow.python import framework
from tensorflow.python.framework import importer, ops
from tensorflow.python.keras import backend
from tensorflow.python.keras.layers import core
from tensorflow.python.ops import array_ops, math_ops, nn_grad, nn_ops, rnn_cell_impl
from tensorflow.python.ops import variable_scope
from tensorflow.python.platform import tf_logging
from tensorflow.python.util import tf_should_use
from tensorflow.python.training import basic_session_run_hooks, optimizer

assert optimizer.ops is ops and rnn_cell_impl.math_ops is math_ops
assert math_ops.np is numpy and array_ops.collections is collections
assert rnn_cell_impl.vs is variable_scope and core.K.floatx() == backend.floatx()
assert optimizer.logging is tf_logging and importer.node_def_pb2 is node_def_pb2
assert basic_session_run_hooks.time is time and tf_should_use.tf_logging is tf_logging

import tensorflow as tf

x = tf.constant([[[[1.0], [4.0]], [[3.0], [2.0]]]])
y = nn_ops.max_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
slope = nn_grad.gen_nn_ops.max_pool_grad(
    x, y, tf.fill([1, 1, 1, 1], 5.0), [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
)
print(tf.Session().run(slope).ravel())

for module, name in (
    (math_ops, "no_such_ops"),
    (math_ops, "statistics"),
    (framework, "array_ops"),
    (tf, "gen_nn_ops"),
):
    try:
        getattr(module, name)
    except AttributeError as error:
        print(error)
"""


def test_modules_that_modules_import(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    result = run("run", str(path))
    assert result.returncode == 0, result.stderr
    slope, *errors = result.stdout.splitlines()
    assert slope == "[0. 5. 0. 0.]"
    assert [error.split(" The nearest")[0] for error in errors] == [
        "dataflow has no tensorflow.python.ops.math_ops.no_such_ops.",
        "dataflow has no tensorflow.python.ops.math_ops.statistics.",
        "dataflow has no tensorflow.python.framework.array_ops.",
        "dataflow has no tensorflow.gen_nn_ops.",
    ]
