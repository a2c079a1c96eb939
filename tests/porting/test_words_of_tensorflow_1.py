"""Errors in the words of TensorFlow 1.15, recorded from it, which its unit tests ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow as tf
from dataflow.contrib import lookup
from dataflow.control_flow.critical_section import CriticalSection
from dataflow.library.defun import Defun
from dataflow.saving.saved_model import signature_defs
from dataflow.values.devices import DeviceSpec


def _any(shape: Any = None, dtype: Any = tf.float32) -> Any:
    return tf.placeholder(dtype, shape)


def _entered_twice() -> Any:
    section = CriticalSection()
    return section.execute(lambda: section.execute(lambda: tf.constant(1)))


def _gradient_without_variables() -> Any:
    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return x * tf.get_variable("scale", [], use_resource=True), lambda grad: grad

    return scaled(tf.constant(1.0))


def _complex_gradients() -> Any:
    x = _any([], tf.complex64)
    return tf.gradients(x * x, x)


def _import(**options: Any) -> Any:
    return tf.import_graph_def(tf.GraphDef(), **options)


def _one(x: Any) -> Any:
    return x


def _choose(branch: Any, branches: Any) -> Any:
    return tf.switch_case(branch, branches)


SAID: dict[str, Callable[[], Any]] = {
    "Logits cannot be scalars - received shape ().": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=_any(), logits=_any([]))
    ),
    "Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 (received "
    "2).": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 2]], logits=_any([3, 2]))
    ),
    "Shape mismatch: The shape of labels (received (2,)) should equal the shape of logits except "
    "for the last dimension (received (3, 2)).": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=_any([3, 2]))
    ),
    "Cannot infer num from shape <unknown>": lambda: tf.unstack(_any()),
    "Cannot infer num from shape (?, 3)": lambda: tf.unstack(_any([None, 3])),
    "axis = 2 not in [-2, 2)": lambda: tf.unstack(_any([4, 3]), axis=2),
    "axis = 3 not in [-3, 3)": lambda: tf.stack([_any([4, 3])], axis=3),
    "Cannot specify multiple device types: /cpu:0/gpu:1": (
        lambda: DeviceSpec.from_string("/cpu:0/gpu:1")
    ),
    "graph_def must be a GraphDef proto.": lambda: tf.import_graph_def(""),
    "input_map must be a dictionary mapping strings to Tensor objects.": (
        lambda: _import(input_map=[tf.constant(5.0)])
    ),
    "return_elements must be a list of strings.": lambda: _import(return_elements=[7]),
    "The function has fewer arguments than the number of specified input types.": (
        lambda: Defun(tf.float32, tf.float32)(_one)
    ),
    "Expected number of arguments: 1, received: 2": lambda: Defun(tf.float32)(_one)(1.0, 2.0),
    "2 placeholder(s) in template does not match 1 tensor(s) provided as input": (
        lambda: tf.strings.format("{} {}", tf.constant(1))
    ),
    "vocabulary_list must be specified.": lambda: lookup.index_table_from_tensor(None),
    "num_oov_buckets must be greater or equal than 0, got -1.": (
        lambda: lookup.index_table_from_tensor(["a"], num_oov_buckets=-1)
    ),
    "vocab_size must be greater than 0, got 0. vocabulary_file: x": (
        lambda: lookup.index_table_from_file("x", vocab_size=0)
    ),
    "Only integer and string keys are supported.": (
        lambda: lookup.index_table_from_file("x", key_dtype=tf.float32)
    ),
    "Filename required for None.": lambda: lookup.TextFileInitializer(
        "", tf.string, 0, tf.int64, 1
    ),
    "Invalid key index -3.": lambda: lookup.TextFileInitializer("a", tf.string, -3, tf.int64, 1),
    "t_list should be a sequence": lambda: tf.global_norm(_any([1])),
    "The function fn attempts to directly access the CriticalSection in which it would be running. "
    " This is illegal and would cause deadlocks.": _entered_twice,
    "If using @custom_gradient with a function that uses variables, then grad_fn must accept a "
    "keyword argument 'variables'.": _gradient_without_variables,
    "Gradients of complex tensors must set grad_ys (y.dtype = tf.complex64)": _complex_gradients,
    "pred must not be a Python bool": lambda: tf.cond(True, tf.no_op, tf.no_op),
    "cond(): false_fn argument required": lambda: tf.cond(_any([], tf.bool), true_fn=tf.no_op),
    "Outputs of true_fn and false_fn must have the same type: int32, float32": (
        lambda: tf.cond(_any([], tf.bool), lambda: 1, lambda: 1.0)
    ),
    "true_fn must have a return value.": (
        lambda: tf.cond(_any([], tf.bool), lambda: None, lambda: 1)
    ),
    "Expected tf.group() expected Tensor arguments not '1' with type '<class 'int'>'": (
        lambda: tf.group([1])
    ),
    "Must have at least one Tensor: []": lambda: tf.tuple([]),
    "branch_index must a Tensor, got <class 'str'>": lambda: _choose("a", [tf.no_op]),
    "Must provide at least one item in branch_fns": lambda: _choose(_any([], tf.int32), []),
    "No loop variables provided": lambda: tf.while_loop(lambda: True, lambda: None, []),
    "maximum_iterations must be a scalar, saw shape: (2,)": (
        lambda: tf.while_loop(lambda i: True, _one, [1], maximum_iterations=[1, 2])
    ),
    "x and y must have the same dtype, got tf.int32 != tf.float32": (
        lambda: tf.truediv(tf.constant(1), tf.constant(1.0))
    ),
    "Different number of contraction axes 'a' and 'b', 1 != 2.": (
        lambda: tf.tensordot(_any([2, 3]), _any([3, 2]), [[0], [0, 1]])
    ),
    "graph must be a tf.Graph, but got <class 'int'>": lambda: tf.Session(graph=1),
    "config must be a tf.ConfigProto, but got <class 'int'>": lambda: tf.Session(config=1),
    "Regression examples must be a string Tensor.": (
        lambda: signature_defs.regression_signature_def(tf.constant(1), tf.constant(1.0))
    ),
    "Prediction inputs cannot be None or empty.": (
        lambda: signature_defs.predict_signature_def({}, {})
    ),
    "Missing: features was None.": lambda: tf.parse_example(["a"], None),
    "batch_dims = 2 must be less than rank(indices) = 1": (
        lambda: tf.gather_nd(_any([3, 4]), _any([3], tf.int32), batch_dims=2)
    ),
    "maxlen must be scalar for sequence_mask": lambda: tf.sequence_mask([1], maxlen=[1, 2]),
    "Unknown padding mode: X": lambda: tf.pad([1], [[1, 1]], mode="x"),
}


@pytest.mark.parametrize("said", SAID)
def test_errors_say(said: str) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError)) as caught:
        SAID[said]()
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution", bool),
        ("iterating over `tf.Tensor` is not allowed in Graph execution", iter),
        (r"len is not well defined for symbolic Tensors. \(x:0\) Please call `x.shape`", len),
    ],
)
def test_tensors_have_no_values_yet(said: str, asked: Callable[[Any], Any]) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=f"^{said}"):
        asked(tf.placeholder(tf.float32, name="x"))
