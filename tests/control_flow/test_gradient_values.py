"""Gradients through conditionals and loops compute what TensorFlow's compute, on both ways."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow
from tests.control_flow.both import assert_same_values
from tests.control_flow.conftest import ControlFlowPath
from tests.control_flow.gradient_programs import PROGRAMS
from tests.control_flow.programs import place, times
from tests.gradients.both import flatten


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_compute_the_same_values(name: str, control_flow_path: ControlFlowPath) -> None:
    def program(tf: Any) -> list[Any]:
        return [each for each in flatten(PROGRAMS[name](tf)) if each is not None]

    assert_same_values(program, lambda graph: control_flow_path.session(graph=graph))


def test_gradients_follow_the_number_of_iterations(control_flow_path: ControlFlowPath) -> None:
    tf = dataflow
    with tf.Graph().as_default() as graph:
        x, n = place(tf), place(tf, dtype="int32", name="n")
        (grad,) = tf.gradients(times(tf, n, lambda i, v: v * x, x), x)
        with control_flow_path.session(graph=graph) as session:
            # The loop makes x ** (n + 1).
            found = [session.run(grad, {x: 2.0, n: count}) for count in (3, 0, 5, 1, 3)]
    assert found == [4 * 2.0**3, 1.0, 6 * 2.0**5, 2 * 2.0, 4 * 2.0**3]
