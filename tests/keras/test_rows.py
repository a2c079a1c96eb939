"""Optimizers of tf.keras at gradients of some rows, and the numbers that they may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

keras: Any = tf.keras
K = keras.backend

# The first three rows after steps by rows 0, 2 and 2, by 1 and 2, and by 0, as TensorFlow 1.15.
WANTED: dict[str, tuple[str, dict[str, Any], list[float]]] = {
    "sgd-momentum": ("SGD", {"momentum": 0.9}, [-0.27, -0.495, 0.0, 0.0, -2.34, -2.79]),
    "rmsprop-momentum": (
        "RMSprop",
        {"momentum": 0.5},
        [-0.5282, -0.4109, -0.7811, -0.5311, -0.8927, -0.805],
    ),
    "rmsprop-momentum-centered-epsilon": (
        "RMSprop",
        {"momentum": 0.5, "centered": True, "epsilon": 0.001},
        [-0.5672, -0.4908, -0.8631, -0.6146, -0.9596, -0.8843],
    ),
    "rmsprop-centered-epsilon-rho-decay": (
        "RMSprop",
        {"centered": True, "epsilon": 0.001, "rho": 0.8, "decay": 0.1},
        [0.01624, 0.1038, -0.3346, -0.08501, 0.02638, 0.1782],
    ),
    "adagrad": ("Adagrad", {}, [0.05117, 0.009215, 0.3095, 0.5556, 0.654, 0.8903]),
    "adadelta": ("Adadelta", {}, [0.2986, 0.5486, 0.7993, 1.049, 1.299, 1.549]),
    "adamax": ("Adamax", {}, [-0.2431, -0.133, 0.5368, 0.7868, 0.4819, 0.7237]),
    "nadam": ("Nadam", {}, [0.08743, -0.0335, 0.2775, 0.5275, 0.5928, 0.8282]),
    "ftrl": ("Ftrl", {}, [0.03763, -0.01116, 0.1544, 0.3992, 0.5885, 0.8223]),
    "ftrl-bounds": (
        "Ftrl",
        {
            "l1_regularization_strength": 0.1,
            "l2_regularization_strength": 0.2,
            "l2_shrinkage_regularization_strength": 0.1,
        },
        [0.0, -0.01387, 0.06651, 0.2982, 0.5314, 0.7594],
    ),
}


@pytest.mark.parametrize("case", WANTED)
def test_only_rows_with_a_gradient_move(case: str) -> None:
    kind, given, wanted = WANTED[case]
    optimizer = getattr(keras.optimizers, kind)(0.5, **given)
    table = K.variable(np.arange(8.0).reshape(4, 2) / 4 + 0.3)
    rows = tf.placeholder("int32", [None])
    step = optimizer.get_updates(K.sum(K.square(K.gather(table, rows))), [table])
    session = K.get_session()
    session.run(tf.variables_initializer(optimizer.weights))
    before = K.get_value(table)
    for fed in ([0, 2, 2], [1, 2], [0]):
        session.run(step, {rows: fed})
        after = K.get_value(table)
        others = [row for row in range(4) if row not in fed]
        np.testing.assert_array_equal(after[others], before[others])
        before = after
    np.testing.assert_allclose(before[:3].ravel(), wanted, rtol=2e-3, atol=1e-6)


def test_numbers_are_variables_when_they_are_read() -> None:
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    assert model.optimizer.lr.name == "learning_rate:0"
    assert model.optimizer.weights == []
    K.set_value(model.optimizer.lr, 0.01)
    model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], np.full((3, 1), 0.96), rtol=1e-5)
    assert K.get_value(model.optimizer.learning_rate) == np.float32(0.01)
    model.optimizer.lr = 0.02
    assert K.get_value(model.optimizer.lr) == np.float32(0.02)


def test_what_ftrl_refuses() -> None:
    with pytest.raises(ValueError, match=r"learning_rate_power .* needs to be negative"):
        keras.optimizers.Ftrl(learning_rate_power=1.0)
    with pytest.raises(ValueError, match=r"initial_accumulator_value .* needs to be"):
        keras.optimizers.Ftrl(initial_accumulator_value=-1.0)
