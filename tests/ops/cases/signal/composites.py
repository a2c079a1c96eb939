"""Rows for tf.signal: windows, frames, spectra of frames, cosine transforms, the mel scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.ops.case import FLOAT32_64
from tests.ops.knowledge import PARTIAL, STATIC
from tests.ops.program import Inputs, Program, Step, infers, refused_alike, run, slopes


def _windows(tf: Any, v: Inputs) -> Iterator[Step]:
    signal, dtype = tf.signal, v.element
    for size in (1, 2, 3, 8, 9):
        for window in (signal.hann_window, signal.hamming_window):
            yield run(window(size, dtype=dtype), window(size, periodic=False, dtype=dtype))
            hidden = tf.placeholder_with_default(size, [])
            yield run(window(hidden, dtype=dtype), window(hidden, periodic=False, dtype=dtype))
        yield run(signal.vorbis_window(size, dtype=dtype))
    for size in (1, 2, 3, 8, 9):
        yield run(signal.kaiser_window(size, dtype=dtype), signal.kaiser_window(size, 4.0, dtype))
    for size in (2, 8, 16):
        yield run(signal.kaiser_bessel_derived_window(size, dtype=dtype))
    yield infers(signal.hann_window(tf.placeholder(tf.int32, []), dtype=dtype))
    yield refused_alike(lambda: signal.hann_window(8, dtype=tf.int32))
    yield refused_alike(lambda: signal.kaiser_window(8, dtype=tf.int32))


def _frames(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.fed(v.any(2, 20))
    for length, step in ((4, 2), (4, 3), (3, 5), (20, 1), (21, 4), (5, 5)):
        yield run(tf.signal.frame(signal, length, step))
        yield run(tf.signal.frame(signal, length, step, pad_end=True, pad_value=1.5))
    yield run(tf.signal.frame(v.fed(v.any(7, 2)), 3, 2, axis=0))
    yield run(tf.signal.frame(v.fed(v.any(2, 7, 2)), 3, 2, axis=-2, pad_end=True))
    yield run(tf.signal.frame(signal, v.hidden(4, "int32"), v.hidden(3, "int32"), pad_end=True))
    yield refused_alike(lambda: tf.signal.frame(v.constant(v.any(2, 20)), [3], 3))


def _overlapping(tf: Any, v: Inputs) -> Iterator[Step]:
    frames = v.fed(v.any(2, 5, 4))
    for step in (1, 2, 3, 4, 6):
        yield run(tf.signal.overlap_and_add(frames, step))
    yield run(tf.signal.overlap_and_add(v.fed(v.any(3, 4)), v.hidden(2, "int32")))
    yield refused_alike(lambda: tf.signal.overlap_and_add(v.constant(v.any(4)), 2))
    yield refused_alike(lambda: tf.signal.overlap_and_add(v.constant(v.any(2, 4)), 2.0))


def _short_time(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.known(v.any(2, 40))
    make = tf.signal
    for length, step, points in ((8, 4, None), (6, 3, None), (6, 2, 9), (5, 5, 5)):
        for window in (make.hann_window, None):
            spectra = make.stft(signal, length, step, points, window_fn=window, pad_end=True)
            yield run(spectra, make.stft(signal, length, step, points, window_fn=window))
            yield run(make.inverse_stft(spectra, length, step, points, window_fn=window))
        inverse = make.inverse_stft_window_fn(step)
        yield run(make.inverse_stft(spectra, length, step, points, window_fn=inverse))
    hidden = v.hidden(6, "int32"), v.hidden(3, "int32")
    spectra = make.stft(signal, *hidden)
    yield run(spectra, make.inverse_stft(spectra, *hidden))
    yield run(make.inverse_stft(make.stft(signal, 6, 3, 6), 9, 3, 6))


def _short_time_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.known(v.any(24))
    spectra = tf.signal.stft(signal, 8, 4)
    back = tf.signal.inverse_stft(spectra, 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))
    yield slopes(tf, [tf.abs(spectra), back], [signal])


def _cosines(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.fed(v.any(2, 6))
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho") if kind > 1 else (None,):
            for count in (None, 4, 9):
                yield run(tf.signal.dct(signal, kind, count, norm=norm))
                yield run(tf.signal.idct(signal, kind, count, norm=norm))
    known = v.constant(v.any(2, 6))
    for wrong in ({"type": 5}, {"type": 1, "norm": "ortho"}, {"axis": 0}, {"n": 0}, {"norm": "x"}):
        yield refused_alike(lambda w=wrong: tf.signal.dct(known, **w))
    yield refused_alike(lambda: tf.signal.idct(v.constant(v.any(2, 1)), type=1))


def _cosine_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.known(v.any(2, 6))
    yield slopes(tf, [tf.signal.dct(signal, kind) for kind in (1, 2, 3, 4)], [signal])


def _lapped(tf: Any, v: Inputs) -> Iterator[Step]:
    signal = v.known(v.any(2, 32))
    for norm in (None, "ortho"):
        for window in (tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None):
            spectra = tf.signal.mdct(signal, 8, window_fn=window, norm=norm, pad_end=True)
            yield run(spectra, tf.signal.inverse_mdct(spectra, window_fn=window, norm=norm))
    yield refused_alike(lambda: tf.signal.mdct(signal, 6))


def _mel(tf: Any, v: Inputs) -> Iterator[Step]:
    make, dtype = tf.signal.linear_to_mel_weight_matrix, v.element
    yield run(make(dtype=dtype))
    yield run(make(40, 257, 16000, 20.0, 7600.0, dtype), make(5, 9, sample_rate=8000, dtype=dtype))
    yield run(make(5, v.hidden(9, "int32"), v.hidden(8000, "int32"), dtype=dtype))
    for wrong in (
        {"num_mel_bins": 0},
        {"sample_rate": 0},
        {"lower_edge_hertz": -1.0},
        {"lower_edge_hertz": 4000.0},
        {"upper_edge_hertz": 5000.0},
        {"dtype": tf.int32},
    ):
        yield refused_alike(lambda w=wrong: make(**w))
    spectra = v.fed(v.any(2, 20))
    yield run(tf.signal.mfccs_from_log_mel_spectrograms(spectra))


def _shifts(tf: Any, v: Inputs) -> Iterator[Step]:
    for size in (4, 5):
        spectrum = v.fed(v.any(3, size))
        for axes in (None, 1, -1, [0], [1, 0], (0, -1)):
            shift, back = tf.signal.fftshift, tf.signal.ifftshift
            yield run(shift(spectrum, axes), back(spectrum, axes))


WITH_RANK: dict[str, Any] = {"shapes": (STATIC, PARTIAL)}
"""TensorFlow takes no tensors of unknown rank here."""
PROGRAMS = [
    Program("Cos", _windows, FLOAT32_64, rtol=1e-5, atol=1e-5),
    Program("GatherV2", _frames, FLOAT32_64, **WITH_RANK),
    Program("UnsortedSegmentSum", _overlapping, FLOAT32_64, rtol=1e-5, **WITH_RANK),
    Program("RFFT IRFFT", _short_time, FLOAT32_64, rtol=1e-4, atol=1e-4),
    Program("RFFT IRFFT", _short_time_slopes, FLOAT32_64, gradients=True, rtol=1e-3, atol=1e-3),
    Program("RFFT IRFFT", _cosines, FLOAT32_64, rtol=1e-4, atol=1e-4, **WITH_RANK),
    Program("RFFT IRFFT", _cosine_slopes, FLOAT32_64, gradients=True, rtol=1e-3, atol=1e-3),
    Program("RFFT", _lapped, FLOAT32_64, rtol=1e-4, atol=1e-4),
    Program("Maximum", _mel, FLOAT32_64, rtol=1e-4, atol=1e-4),
    Program("Roll", _shifts, FLOAT32_64, **WITH_RANK),
]
