"""Updates of float32 variables by machine code: what TensorFlow gives, and numpy's bits.

Ops: ApplyAdam ApplyRMSProp ApplyCenteredRMSProp ApplyAdadelta ApplyAdagrad ApplyAdagradV2
ApplyMomentum and their Resource variants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.kernels.elementwise.stand_ins import NoFormula
from dataflow.kernels.optimizers import update_program
from dataflow.kernels.optimizers.update_formula import UpdateFormula
from dataflow.kernels.optimizers.update_program import UpdateProgram
from tests.ops.updates import UPDATES, Update, apply, variables
from tests.oracle import open_session

# More than pays for it, several parts, a matrix, and fewer.
SHAPES = ((513,), (300_001,), (400, 500), (511,))

DENSE = [u for u in UPDATES if u.is_dense and not u.resource_only]
BY_ROW = pytest.mark.parametrize("update", DENSE, ids=lambda u: u.id)


def run(
    library: Any, update: Update, shape: tuple[int, ...], values: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The values of variable and slots after a step for each gradient."""
    start = np.random.default_rng(7).uniform(0.1, 2, shape).astype(np.float32)
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        made = variables(library, update, lambda _: start, False)
        gradient = library.placeholder(library.float32, shape)
        step = apply(library, update, made, gradient, None)
        session.run(library.global_variables_initializer())
        for value in values:
            session.run(step, {gradient: value})
        fetched: list[np.ndarray] = session.run(made)
        return fetched


def normal(shape: tuple[int, ...], steps: int = 3) -> list[np.ndarray]:
    """Gradients of some steps."""
    random = np.random.default_rng(3)
    return [random.standard_normal(shape).astype(np.float32) for _ in range(steps)]


@BY_ROW
def test_large_variables_are_updated_as_by_tensorflow(update: Update) -> None:
    for shape in SHAPES:
        expected = run(oracle, update, shape, normal(shape))
        for name, ours, theirs in zip(
            update.variables, run(tf, update, shape, normal(shape)), expected, strict=True
        ):
            np.testing.assert_allclose(ours, theirs, 2e-5, 2e-5, err_msg=f"{shape} {name}")


@BY_ROW
def test_programs_give_numpys_bits(update: Update, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = (300_001,)
    values = normal(shape)
    values[0][:6] = [0, -0.0, np.inf, -np.inf, np.nan, 1e-42]
    found = run(tf, update, shape, values)
    monkeypatch.setattr(UpdateProgram, "run", lambda *_: False)
    expected = run(tf, update, shape, values)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_share_a_large_update(threads: int) -> None:
    size = 1_000_003
    random = np.random.default_rng(5)
    start, slope = (random.standard_normal(size).astype(np.float32) for _ in range(2))
    options = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=options) as session:
        weights = tf.Variable(start)
        optimizer = tf.train.AdamOptimizer(0.1, 0.5, 0.25, 0.125)
        step = optimizer.apply_gradients([(tf.constant(slope), weights)])
        session.run(tf.global_variables_initializer())
        session.run(step)
        found = session.run(weights)
    g = slope.astype(np.float64)
    rate = 0.1 * np.sqrt(1 - 0.25) / (1 - 0.5)
    expected = start - rate * (0.5 * g) / (np.sqrt(0.75 * g * g) + 0.125)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_who_holds_the_old_values_keeps_them() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable(np.ones(200_000, np.float32))
        step = tf.train.AdamOptimizer(0.5).minimize(tf.reduce_sum(tf.square(weights)))
        session.run(tf.global_variables_initializer())
        session.run(step)
        before = session.run(weights)
        kept = before.copy()
        session.run(step)
        assert not np.array_equal(session.run(weights), kept)
    np.testing.assert_array_equal(before, kept)


def formula(
    rule: Callable[..., None], targets: int = 1, arguments: int = 2, grad: int = 1
) -> UpdateFormula:
    """The formula of `rule(xp, *targets, *arguments)`."""
    return UpdateFormula(lambda xp: lambda *inputs: rule(xp, *inputs), targets, arguments, grad)


def check(rule: Callable[..., None], targets: int, *numbers: float, steps: int) -> None:
    """Compares a rule's program with the rule on numpy's arrays."""
    random = np.random.default_rng(11)
    arrays = [random.uniform(0.5, 2, 150_000).astype(np.float32) for _ in range(targets + 1)]
    expected = [array.copy() for array in arrays]
    arguments = [*(np.float32(n) for n in numbers), arrays[-1]]
    program = UpdateProgram(formula(rule, targets, len(arguments), len(numbers)))
    assert len(program.program.instructions) == steps
    assert program.run(arrays[:-1], arrays[-1], arguments)
    rule(np, *expected[:-1], *arguments)
    for ours, theirs in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


class TestPrograms:
    def test_what_is_used_twice_is_computed_once(self) -> None:
        def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
            root = xp.sqrt(grad * grad + rate)
            var += root * (root - rate) + rate

        check(rule, 1, 0.25, steps=7)

    def test_a_number_minus_an_array(self) -> None:
        def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
            var *= rate - xp.sqrt(xp.square(grad) + rate)

        check(rule, 1, 0.25, steps=5)

    def test_an_array_minus_and_divided_by_what_is_computed(self) -> None:
        def rule(xp: Any, var: Any, slot: Any, rate: Any, grad: Any) -> None:
            slot *= rate
            slot += (grad - xp.abs(grad * rate)) / (rate + xp.square(slot))
            var -= 1 / xp.sqrt(slot * slot + grad)

        check(rule, 2, 0.5, steps=13)

    def test_numbers_are_computed_anew_in_each_run(self) -> None:
        def rule(xp: Any, var: Any, rate: Any, power: Any, grad: Any) -> None:
            var -= xp.sqrt(grad * grad + power) * (rate * xp.sqrt(1 - power))

        program = UpdateProgram(formula(rule, 1, 3, 2))
        grad = np.linspace(1, 2, 40_000, dtype=np.float32)
        for rate, power in ((0.5, 0.25), (2.0, 0.75)):
            var = np.zeros_like(grad)
            assert program.run([var], grad, [np.float32(rate), np.float32(power), grad])
            expected = -np.sqrt(grad.astype(float) ** 2 + power) * rate * np.sqrt(1 - power)
            np.testing.assert_allclose(var, expected, 1e-6)

    def test_a_gradient_in_another_order_of_memory(self) -> None:
        def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
            var -= xp.sqrt(xp.square(grad)) * rate

        grad = np.arange(40_000, dtype=np.float32).reshape(200, 200).T
        var = np.zeros(40_000, np.float32)
        assert UpdateProgram(formula(rule)).run([var], grad, [np.float32(2), grad])
        np.testing.assert_array_equal(var, -2 * grad.reshape(-1))


SPARSE = [u for u in UPDATES if u.is_sparse and not u.resource_only]


@pytest.mark.parametrize("update", SPARSE, ids=lambda u: u.id)
@pytest.mark.parametrize(
    ("index", "inner"), [(np.int32, ()), (np.int64, (1,)), (np.int32, (3, 7)), (np.int64, (40,))]
)
def test_rows_that_come_twice(update: Update, index: Any, inner: tuple[int, ...]) -> None:
    """Where they lie, as by TensorFlow: one after the other."""
    random = np.random.default_rng(7)
    start = random.uniform(0.5, 2, (9, *inner)).astype(np.float32)
    rows = random.standard_normal((30, *inner)).astype(np.float32)
    places = random.integers(0, 9, 30).astype(index)
    found = []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            made = variables(library, update, lambda _: start, False)
            step = apply(library, update, made, library.constant(rows), library.constant(places))
            session.run(library.global_variables_initializer())
            session.run(step)
            found.append(session.run(made))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-4, 1e-5)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_are_changed_where_they_lie(index: Any) -> None:
    def rule(xp: Any, var: Any, slot: Any, rate: Any, grad: Any) -> None:
        slot += xp.square(grad)
        var -= grad * rate / xp.sqrt(slot)

    random = np.random.default_rng(3)
    var, slot = (random.uniform(1, 2, (6, 5)).astype(np.float32) for _ in range(2))
    grad, places = random.normal(size=(20, 5)).astype(np.float32), random.integers(0, 6, 20)
    expected = var.copy(), slot.copy()
    rate = np.float32(0.5)
    for row, place in zip(grad, places, strict=True):
        rule(np, *[one[place] for one in expected], rate, row)
    program = UpdateProgram(formula(rule, 2, 2, 1))
    assert program.run_rows([var, slot], grad, places.astype(index), [rate, grad])
    for ours, theirs in zip((var, slot), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("wrong", ["gradient", "indices"])
def test_rows_of_another_type_are_left_alone(wrong: str) -> None:
    def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
        var -= xp.sqrt(xp.square(grad)) * rate

    grad = np.ones((2, 3), np.float64 if wrong == "gradient" else np.float32)
    places = np.array([1, 0], np.int16 if wrong == "indices" else np.int32)
    var = np.zeros((4, 3), np.float32)
    assert not UpdateProgram(formula(rule)).run_rows([var], grad, places, [np.float32(1), grad])
    assert not var.any()


def test_arrays_of_another_type_are_left_alone() -> None:
    def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
        var -= xp.sqrt(xp.square(grad)) * rate

    program, grad = UpdateProgram(formula(rule)), np.ones(40_000, np.float64)
    var = np.zeros_like(grad)
    assert not program.run([var], grad, [np.float32(1), grad])
    assert not var.any()


def test_without_llvm_there_is_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(xp: Any, var: Any, rate: Any, grad: Any) -> None:
        var -= xp.sqrt(xp.square(grad)) * rate

    monkeypatch.setattr(update_program, "is_there", lambda: False)
    with pytest.raises(NoFormula):
        UpdateProgram(formula(rule))


def _branches(xp: Any, var: Any, rate: Any, grad: Any) -> None:
    if rate > 0:
        var -= xp.sqrt(xp.square(grad)) * rate


def _asks(xp: Any, var: Any, rate: Any, grad: Any) -> None:
    if grad:
        var -= xp.sqrt(xp.square(grad)) * rate


def _other_function(xp: Any, var: Any, rate: Any, grad: Any) -> None:
    var -= xp.sinh(xp.square(grad)) * rate


def _other_type(xp: Any, var: Any, rate: Any, grad: Any) -> None:
    var -= xp.sqrt(xp.square(grad)) * np.float64(2)


def _writes_elements(xp: Any, var: Any, rate: Any, grad: Any) -> None:
    var[...] = xp.sqrt(xp.square(grad)) * rate


@pytest.mark.parametrize("rule", [_branches, _asks, _other_function, _other_type, _writes_elements])
def test_rules_that_are_more_than_arithmetic_have_no_formula(rule: Callable[..., None]) -> None:
    with pytest.raises(NoFormula):
        formula(rule)


def test_what_was_there_before_may_be_read_later() -> None:
    def rule(xp: Any, var: Any, slot: Any, rate: Any, grad: Any) -> None:
        before = xp.sqrt(slot + rate)
        slot += xp.sqrt(xp.square(grad))
        var += xp.sqrt(slot * rate) * before + rate / before

    check(rule, 2, 0.5, steps=11)


def _has_no_link(xp: Any, var: Any, slot: Any, rate: Any, grad: Any) -> None:
    var -= (xp.square(grad) < rate) * rate


def _is_little(xp: Any, var: Any, slot: Any, rate: Any, grad: Any) -> None:
    var += grad


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (_has_no_link, "calls less"),
        (_is_little, "as fast with numpy"),
    ],
)
def test_formulas_that_no_program_computes(rule: Callable[..., None], what: str) -> None:
    with pytest.raises(NoFormula, match=what):
        UpdateProgram(formula(rule, 2))
