"""A variable that is fetched beside what changes it: its value at the end of the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.oracle import open_session
from tests.session.both import oracle

Built = tuple[Any, list[Any]]
"""What is run before each step, if anything, and what is fetched."""


def _counted(lib: Any, value: Any) -> list[Any]:
    """A step that uses a value, counts itself, and is fetched beside the count."""
    count = lib.Variable(0, use_resource=False)
    weight = lib.Variable([1.0, 2.0], use_resource=False)
    optimizer = lib.train.GradientDescentOptimizer(0.5)
    with lib.control_dependencies([optimizer.minimize(weight * value, count)]):
        return [lib.identity(value), count, weight]


def after_a_queue(lib: Any) -> Built:
    queue = lib.FIFOQueue(4, lib.float32, [[]])
    return queue.enqueue(2.0), _counted(lib, queue.dequeue())


def after_a_branch(lib: Any) -> Built:
    chosen = lib.placeholder_with_default(True, [])
    return None, _counted(lib, lib.cond(chosen, lambda: 2.0, lambda: 1.0))


def after_a_loop(lib: Any) -> Built:
    return None, _counted(lib, lib.while_loop(lambda x: x < 3.0, lambda x: x + 1.0, [0.0]))


def after_products(lib: Any) -> Built:
    product = lib.placeholder_with_default(np.ones((200, 200), np.float32), [200, 200])
    for _ in range(3):
        product = lib.matmul(product, product) / 200.0
    return None, _counted(lib, product[0, 0])


def what_is_passed_on(lib: Any) -> Built:
    variable = lib.Variable([1.0, 2.0], use_resource=False)
    before = lib.identity(variable)
    with lib.control_dependencies([before]):
        doubled = lib.assign(variable, variable * 2.0)
    return None, [before, doubled, variable.value(), variable + 0.0 * doubled]


def several_updates(lib: Any) -> Built:
    variable = lib.Variable([1, 2], use_resource=False)
    first = lib.assign_add(variable, [1, 1])
    with lib.control_dependencies([first]):
        second = lib.scatter_sub(variable, [0], [5])
    return None, [first, second]


def an_update_in_a_branch(lib: Any) -> Built:
    variable = lib.Variable(1, use_resource=False)
    chosen = lib.placeholder_with_default(True, [])
    branch = lib.cond(chosen, lambda: lib.assign_add(variable, 3), lambda: variable + 0)
    return None, [variable, lib.identity(branch) * 0]


PROGRAMS = [
    after_a_queue,
    after_a_branch,
    after_a_loop,
    after_products,
    what_is_passed_on,
    several_updates,
    an_update_in_a_branch,
]


def _values(lib: Any, session: Any, build: Callable[[Any], Built]) -> list[Any]:
    before, fetches = build(lib)
    session.run(lib.global_variables_initializer())
    steps = []
    for _ in range(5):
        if before is not None:
            session.run(before)
        steps.append([np.asarray(value).tolist() for value in session.run(fetches)])
    return steps


@pytest.mark.parametrize("build", PROGRAMS)
def test_has_its_last_value(build: Callable[[Any], Built], session_factory: SessionFactory) -> None:
    with oracle.Graph().as_default(), open_session(oracle) as session:
        expected = _values(oracle, session, build)
    with tf.Graph().as_default() as graph:
        assert _values(tf, session_factory(graph), build) == expected


def test_what_was_fetched_stays(session_factory: SessionFactory) -> None:
    variable = tf.Variable([1.0, 2.0])
    added = tf.assign_add(variable, [1.0, 1.0])
    session = session_factory()
    session.run(variable.initializer)
    first = session.run([variable, added])
    first[0][:] = 9.0
    assert session.run(variable).tolist() == [2.0, 3.0]
    session.run(added)
    assert [value.tolist() for value in first] == [[9.0, 9.0], [2.0, 3.0]]


def _longer(lib: Any, session: Any) -> list[Any]:
    variable = lib.Variable([1.0, 2.0], validate_shape=False, use_resource=False)
    queue = lib.FIFOQueue(1, lib.float32, [[]])
    with lib.control_dependencies([variable + 0.0]):
        taken = queue.dequeue()
    longer = lib.assign(variable, lib.stack([1.0, 2.0, taken]), validate_shape=False)
    session.run([variable.initializer, queue.enqueue(3.0)])
    fetched = [*session.run([variable, longer]), session.run(variable)]
    return [value.tolist() for value in fetched]


def test_a_value_of_another_shape(session_factory: SessionFactory) -> None:
    """It takes other memory: what was read of the variable before stays what it was."""
    with oracle.Graph().as_default(), open_session(oracle) as session:
        expected = _longer(oracle, session)
    assert expected == [[1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
    with tf.Graph().as_default() as graph:
        assert _longer(tf, session_factory(graph)) == expected


def test_nothing_in_it(session_factory: SessionFactory) -> None:
    variable = tf.Variable([1.0, 2.0], name="empty")
    added = tf.assign_add(variable, [1.0, 1.0])
    session = session_factory()
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        session.run([variable, added])
    assert "Attempting to use uninitialized value empty" in caught.value.message
