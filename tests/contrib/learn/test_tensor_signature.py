"""tf.contrib.learn's signatures of tensors: what TensorFlow 1.15 makes of the same tensors."""

from __future__ import annotations

import numpy as np

import dataflow as tf
from dataflow.contrib.learn import tensor_signature
from dataflow.train import Example, Feature, Features, FloatList, Int64List


def test_compatible_but_for_the_batch() -> None:
    with tf.Graph().as_default():
        sparse = tf.sparse_placeholder(tf.int32)
        signatures = tensor_signature.create_signatures({"a": tf.zeros([2, 3]), "s": sparse})
        compatible = tensor_signature.tensors_compatible
        assert compatible({"a": tf.zeros([5, 3]), "s": sparse, "more": sparse}, signatures)
        assert compatible({"a": tf.placeholder(tf.float32), "s": sparse}, signatures)
        assert not compatible({"a": tf.zeros([5, 4]), "s": sparse}, signatures)
        assert not compatible({"a": tf.zeros([2, 3, 1]), "s": sparse}, signatures)
        assert not compatible({"a": tf.zeros([2, 3], tf.int32), "s": sparse}, signatures)
        assert not compatible({"a": sparse, "s": sparse}, signatures)
        assert not compatible({"a": tf.zeros([2, 3])}, signatures)
        assert not compatible(tf.zeros([2, 3]), signatures)
        assert not compatible({"a": tf.zeros([2, 3])}, signatures["a"])
        assert compatible(tf.zeros([1, 3]), signatures["a"])
        assert compatible(None, None)
        assert not compatible(None, signatures)
        assert not compatible(tf.zeros([2, 3]), None)


def test_placeholders() -> None:
    with tf.Graph().as_default():
        of = {"a": tf.zeros([2, 3], tf.int32), "s": tf.sparse_placeholder(tf.string)}
        signatures = tensor_signature.create_signatures(of)
        made = tensor_signature.create_placeholders_from_signatures(signatures)
        assert made["a"].shape.as_list() == [None, 3]
        assert made["a"].dtype == tf.int32
        assert isinstance(made["s"], tf.SparseTensor)
        assert made["s"].dtype == tf.string
        assert tensor_signature.create_signatures(None) is None
        assert tensor_signature.create_placeholders_from_signatures(None) is None


def test_reads_examples_in_the_types_of_the_tensors() -> None:
    example = Example(
        features=Features(
            feature={
                "a": Feature(int64_list=Int64List(value=[1, 2, 3])),
                "s": Feature(int64_list=Int64List(value=[7, 8])),
                "feature": Feature(float_list=FloatList(value=[0.5])),
            }
        )
    ).SerializeToString()
    with tf.Graph().as_default(), tf.Session() as session:
        of = {"a": tf.zeros([2, 3], tf.int32), "s": tf.sparse_placeholder(tf.int32)}
        read = tensor_signature.create_example_parser_from_signatures
        found = read(tensor_signature.create_signatures(of), [example])
        alone = read(tensor_signature.TensorSignature(tf.zeros([4, 1], tf.float64)), [example])
        row, rest, value = session.run([found["a"], found["s"], alone])
    assert row.dtype == rest.values.dtype == np.int32
    assert row.tolist() == [[1, 2, 3]]
    assert rest.values.tolist() == [7, 8]
    assert value.dtype == np.float64
    assert value.tolist() == [[0.5]]
