"""What all optimizers have in common: slots, extension points, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import assert_same_graph, assert_same_refusal, oracle
from tests.training.models import OPTIMIZERS, regression

LIBRARIES = (oracle, tf)
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


def both(question: Callable[[Any], Any]) -> Any:
    """The answer of both libraries, which must be the same."""
    answers = []
    for library in LIBRARIES:
        with library.Graph().as_default():
            answers.append(question(library))
    assert answers[1] == answers[0]
    return answers[1]


@KINDS
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_slots_and_variables(name: str, use_resource: bool) -> None:
    def kept(library: Any) -> Any:
        loss = regression(library, use_resource)
        optimizer = OPTIMIZERS[name](library)
        step = optimizer.minimize(loss)
        slots = {
            slot: [optimizer.get_slot(v, slot).name for v in library.trainable_variables()]
            for slot in optimizer.get_slot_names()
        }
        assert optimizer.get_slot(library.trainable_variables()[0], "no such") is None
        assert library.get_collection(library.GraphKeys.TRAIN_OP) == [step]
        assert not [v for v in optimizer.variables() if v in library.trainable_variables()]
        return optimizer.get_name(), slots, [v.name for v in optimizer.variables()], step.name

    both(kept)


def test_variables_of_the_default_graph_only() -> None:
    def kept(library: Any) -> Any:
        optimizer = library.train.AdamOptimizer()
        found = []
        for name in ("a", "b"):
            with library.Graph().as_default():
                weights = library.Variable(1.0, name=name)
                optimizer.minimize(weights * weights)
                found.append([v.name for v in optimizer.variables()])
        return found

    assert both(kept)[1] == ["b/Adam:0", "b/Adam_1:0", "beta1_power:0", "beta2_power:0"]


def own_optimizer(library: Any) -> Any:
    """An optimizer that a program defines: the sign of the gradient, with a count of the steps."""

    class SignOptimizer(library.train.Optimizer):  # type: ignore[name-defined, misc]
        def __init__(self, rate: float) -> None:
            super().__init__(False, "Sign")
            self._rate = rate

        def _create_slots(self, var_list: Any) -> None:
            for v in var_list:
                self._get_or_make_slot(v, library.zeros_like(v), "last", self._name)
                self._zeros_slot(v, "count", "Count")
            first = min(var_list, key=lambda v: v.name)
            self._create_non_slot_variable(initial_value=0, name="steps", colocate_with=first)

        def _prepare(self) -> None:
            self._rate_t = library.convert_to_tensor(self._rate, name="rate")

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            last = self.get_slot(var, "last").assign(grad)
            with library.control_dependencies([last]):
                return library.assign_sub(var, self._rate_t * library.sign(grad))

        _resource_apply_dense = _apply_dense

        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            ones = grad.values * 0.0 + 1.0
            count = library.scatter_add(self.get_slot(var, "count"), grad.indices, ones)
            step = self._rate_t * library.sign(grad.values)
            return library.group(count, library.scatter_sub(var, grad.indices, step))

        def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
            return self._apply_sparse(library.IndexedSlices(grad, indices), handle)

        def _finish(self, update_ops: Any, name_scope: str) -> Any:
            graph = library.get_default_graph()
            steps = self._get_non_slot_variable("steps", graph=graph)
            with library.control_dependencies(update_ops), library.colocate_with(steps):
                counted = steps.assign_add(1)
            return library.group(*update_ops, counted, name=name_scope)

    return SignOptimizer(0.1)


@KINDS
def test_optimizer_of_the_program(use_resource: bool) -> None:
    def program(library: Any) -> Any:
        optimizer = own_optimizer(library)
        loss = regression(library, use_resource)
        step = library.train.get_or_create_global_step()
        library.get_variable_scope().set_use_resource(use_resource)
        train = optimizer.minimize(loss, step)
        after = []
        with library.control_dependencies([train]):
            for v in (*library.trainable_variables(), *optimizer.variables(), step):
                after.append(v.read_value())
        return after

    assert_same_graph(program)


@pytest.mark.parametrize(
    "method", ["_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse"]
)
def test_what_a_subclass_must_say(method: str) -> None:
    def program(library: Any) -> Any:
        weights = library.Variable([[1.0], [2.0]], use_resource="resource" in method)
        value = library.gather(weights, [0, 0]) if "sparse" in method else weights
        library.train.Optimizer(False, "Bare").minimize(library.reduce_sum(value))

    assert_same_refusal(program)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "no_name": lambda tf: tf.train.Optimizer(False, ""),
    "no_variables": lambda tf: sgd(tf).minimize(tf.constant(1.0)),
    "no_gradients": lambda tf: sgd(tf).minimize(tf.constant(1.0), var_list=[_variable(tf)]),
    "no_gradients_behind_handles": lambda tf: sgd(tf).minimize(
        tf.constant(1.0), var_list=[_variable(tf, use_resource=True)]
    ),
    "integer_loss": lambda tf: sgd(tf).compute_gradients(tf.constant(1, name="loss")),
    "integer_grad_loss": lambda tf: sgd(tf).compute_gradients(
        _variable(tf) * 2.0, grad_loss=tf.constant(1, name="start")
    ),
    "gate": lambda tf: sgd(tf).minimize(_variable(tf) * 2.0, gate_gradients=3),
    "kind_of_variable": lambda tf: sgd(tf).minimize(
        _variable(tf) * 2.0, var_list=[_Unknown(tf.constant(1.0).op)]
    ),
    "no_pairs": lambda tf: sgd(tf).apply_gradients([]),
    "only_none": lambda tf: sgd(tf).apply_gradients([(None, _variable(tf))]),
    "no_gradient": lambda tf: sgd(tf).apply_gradients([(_Unknown(), _variable(tf))]),
    "sparse_tensor": lambda tf: sgd(tf).apply_gradients(
        [(tf.SparseTensor([[0]], [1.0], [2]), _variable(tf))]
    ),
    "tensor": lambda tf: sgd(tf).minimize(_tensor_times(tf), var_list=[_found(tf, "x")]),
    "sparse_constraint": lambda tf: sgd(tf).minimize(
        tf.gather(tf.Variable([1.0, 2.0], constraint=tf.abs), 0)
    ),
    "sparse_constraint_behind_handle": lambda tf: sgd(tf).minimize(
        tf.gather(tf.Variable([1.0, 2.0], constraint=tf.abs, use_resource=True), 0)
    ),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.1, -1.0),
    "adagrad_da": lambda tf: tf.train.AdagradDAOptimizer(0.1, 0, -0.5),
    "ftrl_power": lambda tf: tf.train.FtrlOptimizer(0.1, learning_rate_power=0.5),
    "ftrl_start": lambda tf: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-0.5),
    "ftrl_l1": lambda tf: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-0.5),
    "ftrl_l2": lambda tf: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=-0.5),
    "ftrl_shrinkage": lambda tf: tf.train.FtrlOptimizer(
        0.1, l2_shrinkage_regularization_strength=-0.5
    ),
    "gradient_shape": lambda tf: sgd(tf).apply_gradients([(tf.zeros([3]), _variable(tf))]),
}


class _Unknown:
    """Becomes no tensor, and is no variable."""

    def __init__(self, op: Any = None) -> None:
        self.op = op

    def __repr__(self) -> str:
        return "unknown"


def sgd(library: Any) -> Any:
    """The simplest optimizer."""
    return library.train.GradientDescentOptimizer(0.1)


def _variable(library: Any, use_resource: bool = False) -> Any:
    return library.Variable([1.0, 2.0], name="W", use_resource=use_resource)


def _tensor_times(library: Any) -> Any:
    return library.constant([1.0, 2.0], name="x") * 2.0


def _found(library: Any, name: str) -> Any:
    return library.get_default_graph().get_tensor_by_name(f"{name}:0")


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    assert_same_refusal(REFUSED[case])


def test_no_gradients_says_between_what() -> None:
    text = assert_same_refusal(REFUSED["no_gradients"])
    assert text.startswith(
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables [\"<tf.Variable 'W:0' shape=(2,) dtype=float32_ref>\"] and "
        "loss Tensor("
    )


def test_invalid_type_of_variable() -> None:
    with tf.Graph().as_default():
        weights = tf.Variable(1.0 + 2.0j, name="W")
        loss = tf.real(weights * tf.conj(weights))
        with pytest.raises(ValueError, match=r"Invalid type tf\.complex128 for W:0, expected"):
            sgd(tf).minimize(loss)


def test_gradients_of_tensors() -> None:
    def program(library: Any) -> Any:
        loss = _tensor_times(library)
        pairs = sgd(library).compute_gradients(loss, var_list=[_found(library, "x")])
        return [g for g, _ in pairs]

    assert_same_graph(program)


@KINDS
def test_loss_as_a_function(use_resource: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        used = tf.Variable([1.0, 2.0], name="used", use_resource=use_resource)
        other = tf.Variable([5.0], name="other", use_resource=use_resource)
        optimizer = sgd(tf)
        pairs = optimizer.compute_gradients(lambda: tf.reduce_sum(used * used))
        assert [v for _, v in pairs] == [used]
        asked = optimizer.compute_gradients(lambda: tf.reduce_sum(used), var_list=[other, used])
        assert asked[0] == (None, other)
        train = optimizer.minimize(lambda: tf.reduce_sum(used * used))
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(pairs[0][0]), [2.0, 4.0])
        session.run(train)
        np.testing.assert_allclose(session.run(used), [0.8, 1.6], 1e-6)


def test_hyperparameters_are_read_when_gradients_are_applied() -> None:
    """A function without arguments is asked once for each graph of updates."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable([1.0])
        rates = iter([0.5, 0.25])
        optimizer = tf.train.GradientDescentOptimizer(lambda: next(rates))
        steps = [optimizer.minimize(weights * 1.0) for _ in range(2)]
        session.run(weights.initializer)
        seen = []
        for step in steps:
            session.run(step)
            seen.append(session.run(weights).tolist())
        assert seen == [[0.5], [0.25]]


GLOBAL_STEPS: dict[str, Callable[[Any], Any]] = {
    "two": lambda tf: [tf.train.create_global_step() for _ in range(2)],
    "float": lambda tf: tf.train.assert_global_step(tf.constant(1.0)),
    "vector": lambda tf: tf.train.assert_global_step(tf.constant([1, 2])),
    "number": lambda tf: tf.train.assert_global_step(3),
    "named": lambda tf: [tf.constant(1.0, name="global_step"), tf.train.get_global_step()],
}


@pytest.mark.parametrize("case", GLOBAL_STEPS)
def test_global_step_refusals(case: str) -> None:
    assert_same_refusal(GLOBAL_STEPS[case])


def test_global_step_of_a_graph() -> None:
    def question(library: Any) -> Any:
        graph = library.Graph()
        made = library.train.get_or_create_global_step(graph)
        assert made.graph is graph
        assert library.train.get_global_step() is None
        with library.Session(graph=graph) as session:
            session.run(made.initializer)
            value = library.train.global_step(session, made)
        return made.name, value, type(value), made.dtype.base_dtype.name

    both(question)


def test_two_global_steps(caplog: pytest.LogCaptureFixture) -> None:
    with tf.Graph().as_default():
        for _ in range(2):
            tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, tf.constant(1))
        assert tf.train.get_global_step() is None
    assert "Multiple tensors in global_step collection." in caplog.text


def test_optimizers_are_direct_subclasses() -> None:
    """As TensorFlow's are: programs look at it."""
    for name in dir(tf.train):
        if name.endswith("Optimizer") and name != "Optimizer":
            assert getattr(tf.train, name).__bases__ == (tf.train.Optimizer,), name
