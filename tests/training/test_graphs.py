"""The graphs of training: node for node those of TensorFlow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differentiation.both import assert_same_graph
from tests.training.models import OPTIMIZERS, regression

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@KINDS
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_minimize(optimizer: str, use_resource: bool) -> None:
    """Dense and sparse gradients, slots, and the step itself."""

    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        OPTIMIZERS[optimizer](tf).minimize(loss)
        tf.global_variables_initializer()
        return []

    assert_same_graph(program)


@KINDS
def test_global_step_names_and_scopes(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        tf.get_variable_scope().set_use_resource(use_resource)
        with tf.name_scope("model"):
            loss = regression(tf, use_resource)
        step = tf.train.get_or_create_global_step()
        with tf.name_scope("training"), tf.device("/cpu:0"):
            tf.train.AdamOptimizer(name="Mine").minimize(loss, step, name="one_step")
            tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
        return []

    assert_same_graph(program)


@KINDS
@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize("optimizer", ["adam", "momentum", "ftrl_shrinkage", "rmsprop", "adagrad"])
def test_hyperparameters_are_cast(optimizer: str, dtype: str, use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        OPTIMIZERS[optimizer](tf).minimize(regression(tf, use_resource, dtype))
        return []

    assert_same_graph(program)


@KINDS
@pytest.mark.parametrize("gate", ["GATE_NONE", "GATE_OP", "GATE_GRAPH"])
def test_gates(gate: str, use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="W", use_resource=use_resource)
        loss = tf.reduce_sum(tf.matmul(weights, weights))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        optimizer.minimize(loss, gate_gradients=getattr(optimizer, gate))
        return []

    assert_same_graph(program)


@KINDS
def test_options_of_compute_gradients(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        a = tf.Variable([1.0, 2.0], name="a", use_resource=use_resource)
        b = tf.Variable([3.0, 4.0], name="b", use_resource=use_resource)
        with tf.device("/cpu:0"):
            loss = a * b + tf.exp(a)
        pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(
            loss,
            var_list=(b, [a]),
            aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE,
            colocate_gradients_with_ops=True,
            grad_loss=tf.constant([0.5, 2.0]),
        )
        assert [v for _, v in pairs] == [b, a]
        return [g for g, _ in pairs]

    assert_same_graph(program)


@KINDS
def test_gradients_changed_on_the_way(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        unused = tf.Variable(1.0, name="unused", use_resource=use_resource)
        optimizer = tf.train.AdagradOptimizer(0.1)
        pairs = optimizer.compute_gradients(loss)
        assert pairs[-1] == (None, unused)
        grads, norm = tf.clip_by_global_norm([g for g, _ in pairs], 0.5)
        optimizer.apply_gradients(zip(grads, [v for _, v in pairs], strict=True))
        return norm

    assert_same_graph(program)


@KINDS
def test_learning_rate_as_tensor_variable_and_function(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        step = tf.Variable(0, name="step", trainable=False, use_resource=use_resource)
        rate = tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True)
        tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
        variable = tf.Variable(0.1, name="rate", trainable=False, use_resource=use_resource)
        tf.train.MomentumOptimizer(variable, lambda: 0.9).minimize(loss)
        tf.train.RMSPropOptimizer(lambda: tf.constant(0.1)).minimize(loss)
        return []

    assert_same_graph(program)


@KINDS
def test_constraint(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        weights = tf.Variable(
            [1.0, -2.0],
            name="W",
            use_resource=use_resource,
            constraint=lambda value: tf.clip_by_value(value, -1.0, 1.0),
        )
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(weights * weights))
        return []

    assert_same_graph(program)


@KINDS
def test_partitioned_variables(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        with tf.variable_scope(
            "layer", partitioner=tf.fixed_size_partitioner(2), use_resource=use_resource
        ):
            table = tf.get_variable("table", [5, 2], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(table)))
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(loss)
        parts = list(table)
        slots = [optimizer.get_slot(part, "m") for part in parts]
        infos = [slot._get_save_slice_info() for slot in slots]
        program.specs = [(i.full_name, i.spec) for i in infos]  # type: ignore[attr-defined]
        return []

    specs = []
    for _ in range(2):
        assert_same_graph(program)
        specs.append(program.specs)  # type: ignore[attr-defined]
    assert specs[0] == [("layer/table/Adam", "5 2 0,3:0,2"), ("layer/table/Adam", "5 2 3,2:0,2")]


@KINDS
def test_two_optimizers_of_one_name(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        for _ in range(2):
            tf.train.AdamOptimizer().minimize(loss)
        return []

    assert_same_graph(program)


@KINDS
def test_one_optimizer_twice_behind_other_updates(use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        loss = regression(tf, use_resource)
        mean = tf.Variable(0.0, trainable=False, name="mean", use_resource=use_resource)
        optimizer = tf.train.AdamOptimizer()
        with tf.control_dependencies([tf.assign(mean, loss)]):
            for _ in range(2):
                optimizer.minimize(loss)
        return []

    assert_same_graph(program)


def test_global_step_helpers() -> None:
    def program(tf: Any) -> Any:
        assert tf.train.get_global_step() is None
        with tf.name_scope("anywhere"):
            made = tf.train.create_global_step()
        assert tf.train.get_global_step() is made
        assert tf.train.get_or_create_global_step() is made
        return made

    assert_same_graph(program)


@pytest.mark.parametrize("zero_debias", [False, True])
@KINDS
def test_moving_average_of_tensors(zero_debias: bool, use_resource: bool) -> None:
    def program(tf: Any) -> Any:
        tf.get_variable_scope().set_use_resource(use_resource)
        value = tf.constant([1.0, 2.0], name="value") * 2.0
        single = tf.constant(3.0, dtype=tf.float64)
        average = tf.train.ExponentialMovingAverage(0.9, num_updates=5, zero_debias=zero_debias)
        for _ in range(2):
            average.apply([value, single])
        return []

    assert_same_graph(program)


def test_learning_rate_decays() -> None:
    def program(tf: Any) -> Any:
        step = tf.Variable(7, name="step", trainable=False, use_resource=False)
        wide = tf.constant(0.1, tf.float64)
        train = tf.train
        return [
            train.exponential_decay(0.1, step, 4, 0.96),
            train.exponential_decay(wide, 7, 4, 0.96, staircase=True, name="mine"),
            train.polynomial_decay(0.1, step, 20),
            train.polynomial_decay(0.1, step, 20, 0.01, 0.5, name="half"),
            train.polynomial_decay(0.1, step, 5, cycle=True),
            train.natural_exp_decay(0.1, step, 4, 0.5),
            train.natural_exp_decay(0.1, step, 4, 0.5, True, "stairs"),
            train.inverse_time_decay(0.1, step, 4, 0.5),
            train.inverse_time_decay(0.1, step, 4, 0.5, staircase=True),
            train.cosine_decay(0.1, step, 20, alpha=0.1),
            train.linear_cosine_decay(0.1, step, 20),
        ]

    assert_same_graph(program)


def test_noisy_decay() -> None:
    def program(tf: Any) -> Any:
        tf.set_random_seed(1)
        return tf.train.noisy_linear_cosine_decay(0.1, tf.constant(3), 20)

    assert_same_graph(program)


def test_clipping() -> None:
    def program(tf: Any) -> Any:
        x = tf.placeholder(tf.float32, [3, 2])
        y = tf.placeholder(tf.float64, [None])
        slices = tf.IndexedSlices(x, tf.constant([0, 2, 2]), tf.constant([4, 2]))
        clipped, norm = tf.clip_by_global_norm([x, None, slices], 0.5)
        again, same = tf.clip_by_global_norm([x], 0.5, use_norm=norm, name="again")
        assert same is norm
        outputs = [
            tf.clip_by_value(x, 0.7, 1.0),
            tf.clip_by_value(slices, 0.7, tf.constant([1.0, 1.2]), name="bounded"),
            tf.clip_by_norm(x, 1.0),
            tf.clip_by_norm(x, -1.0, axes=[1], name="rows"),
            tf.clip_by_norm(y, tf.constant(0.3, tf.float64)),
            tf.clip_by_norm(slices, 0.3),
            tf.clip_by_average_norm(x, 0.3),
            tf.global_norm([x, None, slices], name="norm"),
            *clipped,
            norm,
            *again,
        ]
        gradients = tf.gradients(tf.clip_by_norm(x * 0.0, 1.0), x)
        return [*outputs, *gradients]

    assert_same_graph(program)
