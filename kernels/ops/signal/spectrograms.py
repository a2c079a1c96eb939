"""Kernels of spectrograms, and of the coefficients that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.signal.wav import rate_is_no_scalar
from dataflow.kernels.threads.stopping import look

_AT_ONCE: Final = 1 << 20
"""Numbers that are transformed between looks."""
_FLOOR: Final = 1e-12
_MOST: Final = 1 << 26
"""Elements of the tables of a filter bank."""


@kernel("AudioSpectrogram", host_inputs=("input",), host_outputs=("spectrogram",))
def audio_spectrogram(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy import fft

    window, stride = int(node.attr("window_size")), int(node.attr("stride"))
    if window <= 1:
        raise invalid(f"window size must be > 1, got {window}")
    if stride <= 0:
        raise invalid(f"stride must be strictly positive, got {stride}")
    squared = bool(node.attr("magnitude_squared"))
    points = 1 << (window - 1).bit_length()

    def run(signal: Any) -> Any:
        if np.ndim(signal) != 2:
            raise invalid(f"input must be 2-dimensional{shape_text(np.shape(signal))}")
        samples, channels = signal.shape
        frames = 0 if samples < window else 1 + (samples - window) // stride
        made = np.empty((channels, frames, points // 2 + 1), np.float32)
        if not made.size:
            return made
        weights = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
        cut = np.lib.stride_tricks.sliding_window_view(signal.T, window, axis=1)[:, ::stride]
        group = max(1, _AT_ONCE // points)
        for channel in range(channels):
            for start in range(0, frames, group):
                look()
                part = slice(start, start + group)
                spectrum = fft.rfft(cut[channel, part] * weights, points, axis=1)
                power = spectrum.real**2 + spectrum.imag**2
                made[channel, part] = power if squared else np.sqrt(power)
        return made

    return run


@kernel("Mfcc", host_inputs=("spectrogram", "sample_rate"), host_outputs=("output",))
def mfcc(node: KernelNode, xp: Any) -> Callable[..., Any]:
    low, high = node.attr("lower_frequency_limit"), node.attr("upper_frequency_limit")
    channels = int(node.attr("filterbank_channel_count"))
    count = int(node.attr("dct_coefficient_count"))

    def run(spectrogram: Any, sample_rate: Any) -> Any:
        if np.ndim(spectrogram) != 3:
            shape = shape_text(np.shape(spectrogram))
            raise invalid(f"spectrogram must be 3-dimensional{shape}")
        if np.ndim(sample_rate):
            raise rate_is_no_scalar(sample_rate)
        rate, bins = int(sample_rate), spectrogram.shape[2]
        if (
            not 0 < count <= channels
            or channels * max(count, bins) > _MOST
            or rate < 1
            or bins < 2
            or not 0 <= low < high
        ):
            raise invalid(
                f"Mfcc initialization failed for channel count {bins}, sample rate {rate} and "
                f"filterbank_channel_count {channels}"
            )
        bank = _filter_bank(rate, bins, channels, low, high)
        if bank is None:
            return np.zeros((*spectrogram.shape[:2], count), np.float32)
        with np.errstate(invalid="ignore"):
            sums = np.sqrt(spectrogram.astype(np.float64)) @ bank
        return (np.log(np.where(sums < _FLOOR, _FLOOR, sums)) @ _cosines(channels, count)).astype(
            np.float32
        )

    return run


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(hertz / 700.0)


def _filter_bank(rate: int, bins: int, channels: int, low: float, high: float) -> Any:
    """The weights of the elements of a spectrum in each channel; None if it ends too early."""
    width = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + low / width), int(high / width)
    if last >= bins:
        return None
    begin = _mel(low)
    centers = begin + (_mel(high) - begin) / (channels + 1) * np.arange(1, channels + 2)
    places = np.arange(first, last + 1)
    mels = _mel(places * width)
    # The channel whose middle is the last one below; -1 below the first.
    below = np.minimum(np.searchsorted(centers[:channels], mels), channels) - 1
    left = np.where(below < 0, begin, centers[np.maximum(below, 0)])
    weights = (centers[below + 1] - mels) / (centers[below + 1] - left)
    bank = np.zeros((bins, channels))
    inner = below >= 0
    bank[places[inner], below[inner]] = weights[inner]
    upper = below + 1 < channels
    bank[places[upper], below[upper] + 1] = 1 - weights[upper]
    return bank


def _cosines(channels: int, count: int) -> np.ndarray:
    angles = np.pi / channels * np.outer(np.arange(channels) + 0.5, np.arange(count))
    return np.asarray(np.sqrt(2.0 / channels) * np.cos(angles))
