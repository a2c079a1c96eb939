"""Assigning to slices makes TensorFlow's nodes, and changes no value fetched before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.differentiation import both

START = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("use_resource", [False, True])
def test_assign_makes_tensorflows_graph(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        variable = tf.Variable(START, use_resource=use_resource)
        variable[1:3, 0].assign([1.0, 2.0])
        variable[0].assign([1.0, 2.0, 3.0], name="row")

    both.assert_same_graph(program, values=False)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_value_fetched_before_keeps_its_elements(use_resource: bool) -> None:
    tf = both.tf
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(START, use_resource=use_resource)
        assign = variable[0].assign([9.0, 9.0, 9.0])
        session.run(variable.initializer)
        whole, row = session.run([variable, variable[0]])
        session.run(assign)
        np.testing.assert_array_equal(whole, START)
        np.testing.assert_array_equal(row, START[0])
