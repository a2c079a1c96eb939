"""Writes what TensorFlow 2 and Keras 3 save, and the answers: run as a program, with a folder.

It is a process of its own since tests turn TensorFlow's eager execution off.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

X = np.array([[1, 2], [3, 4]], np.float32)
WORDS = ["c", "z"]


class _Module(tf.Module):
    """Variables, a table with a file, a loop, a branch and a function that calls another."""

    def __init__(self, vocabulary: Path) -> None:
        self.w = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name="w")
        self.n = tf.Variable(0, name="n")
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                str(vocabulary),
                tf.string,
                tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            -1,
        )

    @tf.function(
        input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None], tf.string)]
    )
    def answer(self, x: tf.Tensor, words: tf.Tensor) -> dict[str, tf.Tensor]:
        self.n.assign_add(1)
        y = self.grow(x @ self.w)
        if tf.reduce_sum(y) > 10.0:
            # Functions without a name are called "<lambda>", which no node may be.
            y = tf.function(lambda y: y + 1.0)(y)
        else:
            y = y - 1.0
        return {"y": y, "ids": self.table.lookup(words), "n": self.n.read_value()}

    @tf.function
    def grow(self, y: tf.Tensor) -> tf.Tensor:
        i = tf.constant(0)
        while i < 3:
            y = y * 1.5
            i += 1
        return y


class _Changing(tf.Module):
    """Tables whose contents functions change."""

    def __init__(self) -> None:
        lookup = tf.lookup.experimental
        self.counts = lookup.MutableHashTable(tf.string, tf.int64, -1)
        self.dense = lookup.DenseHashTable(
            tf.int64, tf.float32, 0.5, empty_key=-1, deleted_key=-2, initial_num_buckets=8
        )
        self.counts.insert(["a", "b"], tf.constant([5, 6], tf.int64))
        self.dense.insert([7], [1.5])

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)]
    )
    def look(self, words: tf.Tensor, numbers: tf.Tensor) -> list[tf.Tensor]:
        return [self.counts.lookup(words), self.dense.lookup(numbers)]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def forget(self, words: tf.Tensor) -> tf.Tensor:
        self.counts.remove(words)
        return self.counts.size()


class _Steep(tf.Module):
    """Functions whose gradient is ten times the true one, in functions of several kinds."""

    def __init__(self) -> None:
        self.w = tf.Variable([2.0, 3.0], name="w")

    @tf.custom_gradient
    def steep(self, x: tf.Tensor) -> tuple[tf.Tensor, Any]:
        y = tf.exp(x)
        return y, lambda grad: grad * y * 10.0

    @tf.custom_gradient
    def scaled(self, x: tf.Tensor) -> tuple[tf.Tensor, Any]:
        def gradient(grad: tf.Tensor, variables: Any = None) -> Any:
            return 10.0 * grad * self.w, [tf.reduce_sum(grad * x * 10.0, 0)]

        return x * self.w, gradient

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def answer(self, x: tf.Tensor) -> list[tf.Tensor]:
        z = x
        for _ in tf.range(2):
            z = self.steep(z * 0.1)
        if tf.reduce_sum(x) > 0.0:
            x = self.steep(x)
        return [self.inner(x), self.scaled(x), z]

    @tf.function
    def inner(self, x: tf.Tensor) -> tf.Tensor:
        return self.steep(x * 0.5)


def _net() -> keras.Model:
    images = keras.Input((8, 8, 3), name="images")
    h = keras.layers.Conv2D(4, 3, padding="same")(images)
    variances = keras.initializers.RandomUniform(0.5, 1.5)
    h = keras.layers.BatchNormalization(moving_variance_initializer=variances)(h)
    h = keras.layers.ReLU(max_value=6)(h)
    h = keras.layers.DepthwiseConv2D(3, strides=2, padding="same")(h)
    h = keras.layers.Reshape((16, 4))(h)
    h = keras.layers.LayerNormalization()(keras.layers.MultiHeadAttention(2, 3)(h, h))
    h = keras.layers.LSTM(5)(h)
    h = keras.layers.Dropout(0.5)(h)
    # Its gradient is a function that only the net's own can call.
    h = keras.layers.Dense(4, activation="silu")(h)
    return keras.Model(images, keras.layers.Dense(3, activation="softmax")(h))


def main(folder: Path) -> None:
    """Writes the folders `module`, `changing`, `steep` and `net`, and what they answer."""
    vocabulary = folder / "vocabulary.txt"
    vocabulary.write_text("a\nb\nc\n", encoding="utf-8")
    module = _Module(vocabulary)
    tf.saved_model.save(
        module, str(folder / "module"), signatures={"serving_default": module.answer}
    )
    answers = module.answer(X, tf.constant(WORDS))
    np.savez(folder / "module.npz", **{key: value.numpy() for key, value in answers.items()})
    tf.saved_model.save(_Changing(), str(folder / "changing"))
    # The SavedModel has a copy.
    vocabulary.unlink()
    steep, x = _Steep(), tf.constant(X)
    tf.saved_model.save(steep, str(folder / "steep"))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = steep.answer(x)
    gradients = [g for y in results for g in tape.gradient(y, [x, steep.w]) if g is not None]
    np.savez(folder / "steep.npz", *(each.numpy() for each in [*results, *gradients]))
    keras.utils.set_random_seed(1)
    net = _net()
    images = np.random.default_rng(0).random((2, 8, 8, 3), np.float32)
    net.export(str(folder / "net"), verbose=False)
    np.savez(folder / "net.npz", images=images, answer=net(images).numpy())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
