"""Nodes that are added after a step has run, and take what a call gave before."""

from __future__ import annotations

import numpy as np

import dataflow as tf
from tests.conftest import SessionFactory


def test_a_handle_that_nested_calls_give(session_factory: SessionFactory) -> None:
    session = session_factory(tf.Graph())
    with session.graph.as_default():

        @tf.Defun()
        def inner() -> tf.Tensor:
            return tf.raw_ops.HashTableV2(
                key_dtype=tf.string, value_dtype=tf.int64, shared_name="table"
            )

        @tf.Defun()
        def outer() -> tf.Tensor:
            return tf.identity(inner())

        table = outer()
        fill = tf.raw_ops.InitializeTableV2(
            table_handle=table, keys=["a", "b"], values=np.array([3, 4])
        )
        session.run(fill)
        for _ in range(2):
            found = tf.raw_ops.LookupTableFindV2(
                table_handle=table, keys=["b", "z"], default_value=np.int64(-1)
            )
            assert session.run(found).tolist() == [4, -1]
