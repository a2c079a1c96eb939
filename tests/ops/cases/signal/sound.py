"""Rows for WAV files, spectrograms and cepstral coefficients."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values

SAMPLES = struct.pack("<6h", 0, 1000, -32768, 32767, -1, 5)


def _wav(
    data: bytes = SAMPLES,
    channels: int = 1,
    bits: int = 16,
    form: int = 1,
    head: int = 16,
    between: bytes = b"",
    size: int | None = None,
    per_second: int | None = None,
    per_sample: int | None = None,
) -> bytes:
    per_sample = channels * bits // 8 if per_sample is None else per_sample
    per_second = 8000 * per_sample if per_second is None else per_second
    fields = struct.pack("<IHHIIHH", head, form, channels, 8000, per_second, per_sample, bits)
    size = len(data) if size is None else size
    return b"RIFF\0\0\0\0WAVEfmt " + fields + between + b"data" + struct.pack("<I", size) + data


def _file(contents: bytes) -> Callable[[Values], list[Any]]:
    array = np.empty((), object)
    array[()] = contents
    return lambda v: [array]


REFUSED = (
    ("Can only read 16-bit WAV files, but received 8", _wav(bits=8)),
    ("Expected 1 .PCM., but got3", _wav(form=3)),
    ("Data too short when trying to read string", _wav()[:-3]),
    ("Data too short when trying to read string", b""),
    ("Expected RIFF but found abcd", b"abcdefghijklmnop" * 4),
    ("Data too short when trying to read string", _wav(size=100)),
    ("Expected at least 1, but got 0", _wav(channels=0, per_sample=2)),
    ("No data chunk found in WAV", _wav()[:36]),
    ("Expected 16000 but got 1 .sample_rate=8000", _wav(per_second=1)),
    ("Expected 2 but got 3", _wav(per_sample=3)),
    ("Expected 16 or 18, but got17", _wav(head=17, between=b"\0")),
    ("More than one data chunk found in WAV", _wav() + b"data" + struct.pack("<I", 12) + SAMPLES),
    ("'data' is too large: 4294967295 bytes", _wav(size=2**32 - 1)),
)
STRINGS = np.array([b"a"], object)
AUDIO = np.array([[0], [0.5], [-1], [1], [2], [-2], [0.00001], [0.3], [-0.3]], np.float32)
RATE = np.int32(16000)
SPECTRA = np.abs(np.random.default_rng(0).normal(size=(2, 3, 257))).astype(np.float32)


def _sound(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


FAILED = "Mfcc initialization failed for channel count"

CASES = [
    *(
        Case(
            "DecodeWav",
            _file(contents),
            ("float32",),
            attrs={"desired_channels": channels, "desired_samples": samples},
            label=f"{number}{channels},{samples}",
            bad=(
                *(Bad(_file(wrong), text) for text, wrong in REFUSED),
                Bad(lambda v: [STRINGS], "Shape must be rank 0 but is rank 1", when="build"),
                Bad(lambda v: [STRINGS], r"contents must be scalar, got shape \[1\]", when="run"),
                Bad(_file(_wav()), "must be non-negative, got -5", attrs={"desired_channels": -5}),
            )
            if (number, channels, samples) == (0, -1, -1)
            else (),
        )
        for number, contents in enumerate(
            (
                _wav(),
                _wav(channels=2),
                _wav(head=18, between=b"\0\0"),
                _wav(between=b"LIST" + struct.pack("<I", 4) + b"abcd"),
                _wav(size=4),
                _wav(b""),
            )
        )
        for channels in (-1, 1, 3)
        for samples in (-1, 0, 2, 9)
    ),
    Case("EncodeWav", lambda v: [AUDIO, RATE], ("float32",), label="mono"),
    Case(
        "EncodeWav",
        lambda v: [_sound(5, 3), RATE],
        ("float32",),
        label="three",
        bad=(
            Bad(lambda v: [_sound(2), RATE], r"audio must be 2-dimensional\[2\]", when="run"),
            Bad(lambda v: [_sound(2), RATE], "Shape must be rank 2 but is rank 1", when="build"),
            Bad(lambda v: [_sound(1, 0), RATE], "audio is null|num_channels must be in"),
            Bad(lambda v: [_sound(1, 1), -RATE], r"sample_rate must be in \(0, 2\^32\)"),
            Bad(
                lambda v: [_sound(1, 1), np.array([1, 2], np.int32)],
                r"should be a scalar tensor, got \[2\] instead",
                when="run",
            ),
        ),
    ),
    Case("EncodeWav", lambda v: [_sound(0, 1), RATE], ("float32",), label="silence"),
    *(
        Case(
            "AudioSpectrogram",
            lambda v, s=shape: [_sound(*s)],
            ("float32",),
            attrs={"window_size": window, "stride": stride, "magnitude_squared": squared},
            label=f"{shape}{window},{stride}{squared}",
            rtol=1e-4,
            atol=1e-4,
            bad=(
                Bad(lambda v: [_sound(4)], r"input must be 2-dimensional\[4\]", when="run"),
                Bad(
                    lambda v: [_sound(4, 1)],
                    "window size must be > 1, got 1",
                    attrs={"window_size": 1, "stride": 2},
                ),
                Bad(
                    lambda v: [_sound(4, 1)],
                    "stride must be strictly positive, got 0",
                    attrs={"window_size": 4, "stride": 0},
                ),
            )
            if squared and window == 8
            else (),
        )
        for shape, window, stride in (
            ((40, 2), 8, 4),
            ((40, 1), 9, 4),
            ((50, 1), 16, 5),
            ((5, 1), 8, 4),
            ((9, 2), 2, 1),
        )
        for squared in (False, True)
    ),
    *(
        Case(
            "Mfcc",
            lambda v, b=bins, r=rate: [SPECTRA[..., :b], np.int32(r)],
            ("float32",),
            attrs=attrs,
            label=f"{bins}{rate}{attrs}",
            rtol=1e-4,
            atol=1e-4,
            bad=(
                Bad(lambda v: [SPECTRA[0], RATE], r"must be 3-dimensional\[3,257\]", when="run"),
                Bad(
                    lambda v: [SPECTRA, np.array([1, 2], np.int32)],
                    r"should be a scalar tensor, got \[2\] instead",
                    when="run",
                ),
                Bad(lambda v: [SPECTRA, np.int32(0)], FAILED),
                Bad(lambda v: [SPECTRA[..., :1], RATE], FAILED),
                *(
                    Bad(lambda v: [SPECTRA, RATE], FAILED, attrs=wrong)
                    for wrong in (
                        {"dct_coefficient_count": 50},
                        {"dct_coefficient_count": 0},
                        {"filterbank_channel_count": 0},
                        {"lower_frequency_limit": -1.0},
                        {"upper_frequency_limit": 1.0},
                    )
                ),
            )
            if bins == 257 and not attrs
            else (),
        )
        for bins, rate, attrs in (
            (257, 16000, {}),
            (129, 8000, {"filterbank_channel_count": 20, "dct_coefficient_count": 5}),
            (257, 16000, {"upper_frequency_limit": 9000.0}),
            (33, 16000, {"lower_frequency_limit": 300.0, "upper_frequency_limit": 7000.0}),
        )
    ),
]
