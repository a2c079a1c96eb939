"""Words in sound: coefficients of its spectrum, convolutions over time, and a recurrent layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

RATE = 8000


def function(random: np.random.Generator) -> Any:
    """The net, as a function of waves of 4000 samples."""
    filters, inner, outer, out = (
        tf.constant(random.normal(0, 0.2, shape), tf.float32)
        for shape in ((5, 13, 24), (24, 3 * 16), (16, 3 * 16), (16, 12))
    )

    def call(waves: Any) -> Any:
        spectra = tf.signal.stft(waves, frame_length=256, frame_step=128, pad_end=True)
        mel = tf.signal.linear_to_mel_weight_matrix(40, 129, RATE, 80.0, 3800.0)
        energies = tf.math.log(tf.tensordot(tf.abs(spectra), mel, 1) + 1e-3)
        coefficients = tf.signal.mfccs_from_log_mel_spectrograms(energies)[..., :13]
        frames = tf.nn.relu(tf.nn.conv1d(coefficients, filters, 2, "SAME"))
        state = tf.zeros([tf.shape(waves)[0], 16])
        for step in range(16):
            gates = tf.split(frames[:, step] @ inner, 3, -1)
            back = tf.split(state @ outer, 3, -1)
            update, reset = (tf.sigmoid(a + b) for a, b in zip(gates[:2], back[:2], strict=True))
            new = tf.tanh(gates[2] + reset * back[2])
            state = update * state + (1 - update) * new
        return tf.nn.log_softmax(state @ out)

    return call
