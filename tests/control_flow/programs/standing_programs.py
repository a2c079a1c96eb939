"""Programs whose library functions are made of conditionals and loops in TensorFlow."""

from __future__ import annotations

from typing import Any

from tests.control_flow.both import programs_of


def initialized_values(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    twice = tf.Variable(w.initialized_value() * 2.0, name="twice")
    return [twice, w.initialized_value()]


def initial_value_of_variables(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    twice = tf.Variable(w * 2.0, name="twice")
    again = tf.Variable(tf.exp(twice) + w, name="again")
    return [twice, again]


def initialized_value_of_initialized_value(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    twice = tf.Variable(w.initialized_value() * 2.0, name="twice")
    again = tf.Variable(twice.initialized_value() + w, name="again")
    return [twice, again]


def initialized_values_of_resources(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w", use_resource=True)
    return tf.Variable(tf.exp(w), name="twice", use_resource=True)


def initialized_values_in_a_scope(tf: Any) -> Any:
    with tf.variable_scope("s"):
        w = tf.get_variable("w", initializer=tf.constant([1.0, 2.0]))
        with tf.device("/cpu:0"), tf.control_dependencies([tf.no_op("waited")]):
            return tf.get_variable("v", initializer=w.initialized_value())


def moving_average(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w")
    average = tf.train.ExponentialMovingAverage(0.9, num_updates=tf.constant(3))
    with tf.control_dependencies([average.apply([w])]):
        return tf.identity(average.average(w))


def moving_average_of_resource(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0], name="w", use_resource=True)
    average = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([average.apply([w])]):
        return average.average(w).read_value()


def slots_of_unknown_shape(tf: Any) -> Any:
    start = tf.placeholder_with_default([1.0, 2.0], [None])
    w = tf.Variable(start, name="w", validate_shape=False)
    return tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w))


def piecewise(tf: Any) -> Any:
    step = tf.placeholder("int64", [])
    return [
        tf.train.piecewise_constant(step, [3, 7, 9], [0.1, 0.05, 0.02, 0.01]),
        tf.train.piecewise_constant(step, [5], [1.0, 0.5], name="two"),
    ]


def restarts(tf: Any) -> Any:
    step = tf.placeholder("int32", [])
    return [
        tf.train.cosine_decay_restarts(0.1, step, 3, t_mul=1.5, m_mul=0.8, alpha=0.1),
        tf.train.cosine_decay_restarts(0.1, step, 3, t_mul=1.0, name="level"),
    ]


def zero_fraction(tf: Any) -> Any:
    return [tf.nn.zero_fraction(tf.nn.relu(tf.placeholder("float32", [None, 3])))]


def hessian(tf: Any) -> Any:
    x = tf.placeholder("float32", [2])
    return tf.hessians(tf.reduce_prod(x) * x[0], x)


def hessian_of_unknown_shape(tf: Any) -> Any:
    x = tf.placeholder("float32", [None])
    return tf.hessians(tf.reduce_sum(x * x * x), [x])


def hessians_of_two(tf: Any) -> Any:
    x, y = tf.placeholder("float32", [2]), tf.placeholder("float32", [2, 2])
    return tf.hessians(tf.reduce_sum(tf.exp(x) * tf.matmul(y, y)), [x, y])


STANDING_PROGRAMS = programs_of(globals())

RACING = (initial_value_of_variables, initialized_values_of_resources)
"""In TensorFlow too, their initial values may read a variable that has no value yet."""
