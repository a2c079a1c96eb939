"""Updates of small float32 variables by a row of numpy's functions: the bits of the rule itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels import load
from dataflow.kernels.contract import registry
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.elementwise.stand_ins import NoFormula
from dataflow.kernels.optimizers.update_formula import Formula
from dataflow.kernels.optimizers.update_steps import UpdateSteps

Rule = Callable[..., None]


def steps_of(rule: Rule, targets: int, numbers: int) -> UpdateSteps:
    """The function of `rule(xp, *targets, *numbers, grad)`."""
    formula = Formula(
        lambda xp: lambda *inputs: rule(xp, *inputs), targets, numbers + 1, grad=numbers
    )
    return UpdateSteps(formula, grad=numbers)


def _divides_by_roots(xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any) -> None:
    slot += (xp.square(grad) - slot) * (1 - decay)
    var -= grad * rate / (xp.sqrt(slot) + rate)


def _uses_a_step_twice(xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any) -> None:
    step = grad * rate
    slot *= decay
    slot -= step
    var += slot * decay - step


def _uses_a_step_of_one_target_for_another(
    xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any
) -> None:
    step = xp.sqrt(xp.abs(slot + rate)) * grad
    var -= step * rate
    slot *= decay
    slot += xp.square(step) * decay


def _changes_one_after_the_other(
    xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any
) -> None:
    slot *= decay
    slot += rate / (grad - slot)
    slot -= (grad + slot) * (grad - slot)
    var *= var
    var += slot * slot


def _copies(xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any) -> None:
    root = xp.sqrt(grad * decay + rate)
    slot *= root * root
    var += root + root


def _scales(xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any) -> None:
    var *= rate
    slot -= grad * decay


RULES = (
    _scales,
    _divides_by_roots,
    _uses_a_step_twice,
    _uses_a_step_of_one_target_for_another,
    _changes_one_after_the_other,
    _copies,
)
SPECIAL = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 3e38, -1], np.float32)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rule", RULES)
def test_steps_give_the_bits_of_the_rule(rule: Rule) -> None:
    random = np.random.default_rng(3)
    steps = steps_of(rule, 2, 2)
    targets = [random.standard_normal((7, 8)).astype(np.float32) for _ in range(2)]
    expected = [target.copy() for target in targets]
    # Numbers that come again as the same objects, one that is equal to another, and new ones.
    one, half, nought = np.float32(1), np.float32(0.5), np.float32(0.0)
    for numbers in ((half, one), (half, one), (half, half), (nought, one), (-nought, one)):
        grad = random.standard_normal((7, 8)).astype(np.float32)
        grad[0] = SPECIAL
        grad.flags.writeable = False
        for array in (grad, np.asfortranarray(grad)):
            steps(*targets, *numbers, array)
            rule(np, *expected, *numbers, array)
            for ours, theirs in zip(targets, expected, strict=True):
                np.testing.assert_array_equal(ours.view(np.int32), theirs.view(np.int32))
        targets[0][...] = expected[0][...] = 0.5


def test_the_gradient_is_not_kept() -> None:
    class Gradient(np.ndarray[Any, Any]):
        """An array whose end can be seen."""

    steps = steps_of(_divides_by_roots, 2, 2)
    targets = [np.zeros(3, np.float32), np.ones(3, np.float32)]
    grad = np.ones(3, np.float32).view(Gradient)
    seen = weakref.ref(grad)
    steps(*targets, np.float32(1), np.float32(0.5), grad)
    del grad
    assert seen() is None


def test_a_rule_that_needs_what_it_has_overwritten_has_no_steps() -> None:
    def rule(xp: Any, var: Any, slot: Any, rate: Any, decay: Any, grad: Any) -> None:
        before = slot * decay
        slot += grad
        var -= slot * before

    with pytest.raises(NoFormula, match="overwritten"):
        steps_of(rule, 2, 2)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (0, 4)])
def test_hyperparameters_may_change_from_step_to_step(
    use_resource: bool, shape: tuple[int, ...]
) -> None:
    rates = (0.5, 0.5, 0.25, 0.0, -0.0, 2.0)
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable(np.full(shape, 2.0, np.float32), use_resource=use_resource)
        rate = tf.placeholder(tf.float32, [])
        gradient = tf.placeholder(tf.float32, shape)
        optimizer = tf.train.MomentumOptimizer(rate, 0.5)
        step = optimizer.apply_gradients([(gradient, weights)])
        session.run(tf.global_variables_initializer())
        expected, sum_ = np.full(shape, 2.0), np.zeros(shape)
        for number, value in enumerate(rates):
            session.run(step, {rate: value, gradient: np.full(shape, number, np.float32)})
            sum_ = sum_ * 0.5 + number
            expected = expected - sum_ * value
            np.testing.assert_array_equal(session.run(weights), expected)


def test_rules_with_other_choices_and_rates_do_not_mix() -> None:
    """What nodes share of a rule is made for the attrs that they have, and for each one's rate."""
    with tf.Graph().as_default(), tf.Session() as session:
        gradient = tf.placeholder(tf.float32, [4])
        updates, weights = [], []
        for nesterov in (False, True, False, True):
            for rate in (0.5, 0.125):
                weights.append(tf.Variable(np.full(4, 2.0, np.float32)))
                optimizer = tf.train.MomentumOptimizer(rate, 0.5, use_nesterov=nesterov)
                updates.append(optimizer.apply_gradients([(gradient, weights[-1])]))
        session.run(tf.global_variables_initializer())
        grads = [np.arange(4, dtype=np.float32), np.full(4, -3, np.float32)]
        for grad in grads:
            session.run(updates, {gradient: grad})
        found = session.run(weights)
    first, second = grads
    sums = first, first * 0.5 + second
    for place, values in enumerate(found):
        rate, is_nesterov = (0.5, 0.125)[place % 2], place // 2 % 2
        moves = [g + 0.5 * s if is_nesterov else s for g, s in zip(grads, sums, strict=True)]
        np.testing.assert_array_equal(values, 2 - rate * moves[0] - rate * moves[1])


def test_what_nodes_share_keeps_none_of_them() -> None:
    class Node:
        """What a bind function asks of a node."""

        op = name = "ApplyMomentum"

        def attr(self, name: str) -> Any:
            """Its attrs."""
            # No other node has chosen the same.
            return {"T": tf.float32, "use_nesterov": "yes"}[name]

    load.load_generic()
    found = registry.find("ApplyMomentum", "CPU", {"T": tf.float32})
    assert found is not None
    node = Node()
    run = found.bind(cast(Any, node), np)
    cells = [Variable(name, tf.float32) for name in ("weights", "sum")]
    for cell in cells:
        cell.value = np.zeros(3, np.float32)
    run(*cells, np.float32(0.5), np.ones(3, np.float32), np.float32(0.5))
    np.testing.assert_array_equal(cells[0].value, [-0.75] * 3)
    seen = weakref.ref(node)
    del node, run
    gc.collect()
    assert seen() is None
