"""tf.contrib.framework's audio_ops, as the examples of speech recognition call them."""

from __future__ import annotations

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.contrib.framework import audio_ops


def test_coefficients_of_a_sound() -> None:
    sound = np.sin(np.arange(4000, dtype=np.float32)).reshape(-1, 1) / 2
    with tf.Graph().as_default(), tf.Session() as session:
        contents = audio_ops.encode_wav(sound, 16000)
        decoded = audio_ops.decode_wav(contents, desired_channels=1, desired_samples=3900)
        spectra = audio_ops.audio_spectrogram(
            decoded.audio, window_size=480, stride=160, magnitude_squared=True
        )
        coefficients = audio_ops.mfcc(spectra, decoded.sample_rate, dct_coefficient_count=40)
        file, found = session.run([contents, coefficients])
    with oracle.Graph().as_default(), oracle.Session() as session:
        theirs = oracle.audio.decode_wav(file, desired_channels=1, desired_samples=3900)
        spectra = oracle.raw_ops.AudioSpectrogram(
            input=theirs.audio, window_size=480, stride=160, magnitude_squared=True
        )
        wanted = session.run(
            oracle.raw_ops.Mfcc(
                spectrogram=spectra, sample_rate=theirs.sample_rate, dct_coefficient_count=40
            )
        )
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)
