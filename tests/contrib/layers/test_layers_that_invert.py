"""Layers that have an inverse: divisive normalization and reversible blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf

layers = tf.contrib.layers


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("sizes", [[2, 5, 3], [2, 4, 5, 3], [2, 2, 4, 5, 3]])
def test_divisive_normalization(sizes: list[int], data_format: str, inverse: bool) -> None:
    x = np.random.RandomState(0).normal(size=sizes).astype(np.float32)
    gamma = np.random.RandomState(1).uniform(size=[3, 3]).astype(np.float32)
    beta = np.array([0.5, 1.0, 2.0], np.float32)
    root = np.sqrt(beta + x**2 @ gamma)
    expected = x * root if inverse else x / root
    is_first = data_format == "channels_first"
    given = np.moveaxis(x, -1, 1) if is_first else x
    with tf.Graph().as_default(), tf.Session() as session:
        layer = layers.GDN(inverse, data_format=data_format)
        fed = tf.placeholder_with_default(given, given.shape)
        found = layer(fed)
        assert layer.compute_output_shape(given.shape).as_list() == list(given.shape)
        assert found.shape.as_list() == list(given.shape)
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(layer.beta), np.ones(3), rtol=1e-5)
        np.testing.assert_allclose(session.run(layer.gamma), 0.1 * np.eye(3), atol=1e-6)
        of_beta, of_gamma = tf.trainable_variables()
        session.run([of_beta.assign(np.sqrt(beta)), of_gamma.assign(np.sqrt(gamma))])
        found = session.run(found)
    np.testing.assert_allclose(np.moveaxis(found, 1, -1) if is_first else found, expected, 1e-4)


def test_bounds_of_divisive_normalization() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.ones([1, 2, 2, 2])
        found = layers.gdn(x, gamma_init=0.0, beta_min=0.25, name="own")
        beta, _ = tf.trainable_variables()
        assert beta.op.name == "own/reparam_beta"
        up, down = (tf.gradients(sign * tf.reduce_sum(found), beta)[0] for sign in (1.0, -1.0))
        session.run(tf.global_variables_initializer())
        session.run(beta.assign([0.1, 1.0]))
        np.testing.assert_allclose(session.run(found)[0, 0, 0], [2.0, 1.0], rtol=1e-4)
        # Below the bound only gradients pass that lead back.
        first, second = session.run([up, down])
        assert (first[0] < 0, second[0]) == (True, 0.0)
        assert first[1] == pytest.approx(-second[1])
        layers.gdn(x, name="own", reuse=True)
        assert len(tf.trainable_variables()) == 2
        with pytest.raises(ValueError, match="Unsupported `data_format` for GDN layer: NHWC"):
            layers.GDN(data_format="NHWC")
        with pytest.raises(ValueError, match="channel dimension of the inputs to `GDN`"):
            layers.gdn(tf.placeholder(tf.float32, [1, 2, None]))
        with pytest.raises(ValueError, match="rank 3 to 5"):
            layers.GDN().compute_output_shape([2, 3])


def f(x: Any, side: Any = None) -> Any:
    x = tf.layers.dense(x, 6, tf.tanh)
    return x if side is None else x * side[0]


def g(x: Any, side: Any = None) -> Any:
    x = tf.sigmoid(tf.layers.dense(x, 6))
    return x if side is None else x + side[0] * side[1]


@pytest.mark.parametrize("sided", [False, True])
def test_reversible_blocks(sided: bool) -> None:
    x1, x2, one, other = np.random.RandomState(0).normal(size=[4, 3, 6]).astype(np.float32)
    found = []
    for is_efficient in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(1)
            given = [tf.constant(each) for each in (x1, x2, one, other)]
            sides = {"f_side_input": given[2:3], "g_side_input": given[2:]} if sided else {}
            block = layers.RevBlock(
                [f, tf.identity, f] if not sided else f,
                g,
                3,
                use_efficient_backprop=is_efficient,
                **sides,
            )
            y1, y2 = block.forward(*given[:2])
            back = block.backward(y1, y2)
            loss = tf.reduce_sum(y1 * y1 + 2 * y2)
            variables = tf.trainable_variables()
            assert len(variables) == len(block.trainable_weights) == (12 if sided else 10)
            assert "revlayer_0/f" in variables[0].name
            xs = given if sided else given[:2]
            grads = tf.gradients(loss, [*xs, *variables])
            session.run(tf.global_variables_initializer())
            values = session.run(
                [
                    each.assign(
                        np.cos(np.arange(np.prod(each.shape.as_list()))).reshape(each.shape)
                    )
                    for each in variables
                ]
            )
            found.append(session.run([loss, *grads]))
            for expected, again in zip((x1, x2), session.run(back), strict=True):
                np.testing.assert_allclose(again, expected, atol=1e-4)
    assert len(values) == len(variables)
    for plain, efficient in zip(*found, strict=True):
        np.testing.assert_allclose(efficient, plain, rtol=2e-3, atol=2e-3)


def test_what_reversible_blocks_share_and_refuse() -> None:
    with tf.Graph().as_default():
        x = tf.ones([2, 6])
        layers.rev_block(x, x, f, g, 2)
        count = len(tf.trainable_variables())
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            layers.rev_block(x, x, f, g, 2, is_training=False)
        assert count == len(tf.trainable_variables()) == 8
        with pytest.raises(ValueError, match="There must be 2 functions f; got 1"):
            layers.rev_block(x, x, [f], g, 2)
