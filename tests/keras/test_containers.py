"""Models that keep their layers in tf.contrib.checkpoint's containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as oracle

import dataflow as tf


class _Model(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        layers = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]
        self.steps = tf.contrib.checkpoint.List(layers)
        self.counted = range(10**12)

    def call(self, x: Any) -> Any:
        for step in self.steps:
            x = step(x)
        return x


def test_models_have_the_layers_of_containers(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        model = _Model()
        model(tf.ones([1, 3]))
        assert len(model.trainable_weights) == 4
        session.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(model=model).save(str(tmp_path / "c"), session)
    names = dict(oracle.train.list_variables(path))
    assert names["model/steps/0/kernel/.ATTRIBUTES/VARIABLE_VALUE"] == [3, 2]
