"""Rows for the Fourier transforms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, Bad, Case, Values
from tests.ops.knowledge import PARTIAL, STATIC
from tests.ops.program import Inputs, Program, Step, run, slopes

RANKS = {1: "", 2: "2D", 3: "3D"}
SIGNALS = {1: ((5,), (2, 8), (2, 0), (0, 3)), 2: ((3, 4), (2, 4, 3)), 3: ((2, 3, 4), (2, 2, 3, 5))}
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}


def _refused_rank(rank: int, *rest: np.ndarray) -> tuple[Bad, Bad]:
    return (
        Bad(lambda v: [v.any(), *rest], f"at least rank {rank} but is rank 0", when="build"),
        Bad(lambda v: [v.any(), *rest], rf"rank of at least {rank} but got: \[\]", when="run"),
    )


def _lengths(shape: tuple[int, ...], rank: int, change: int) -> np.ndarray:
    lengths = np.array(shape[-rank:], np.int32) + change
    return lengths


def _spectrum(v: Values, shape: tuple[int, ...]) -> np.ndarray:
    return v.any(*shape[:-1], shape[-1] // 2 + 1)


def _bad_lengths(rank: int) -> tuple[Bad, ...]:
    zeros = np.zeros(rank, np.int32)
    last = np.eye(1, rank, rank - 1, dtype=np.int32)[0]
    shape = (3,) * rank
    return (
        *_refused_rank(rank, zeros),
        Bad(lambda v: [v.any(*shape), zeros - 1], r"fft_length\[0\] must >= 0, but got: -1"),
        Bad(
            lambda v: [v.any(*shape), np.zeros(rank + 1, np.int32)],
            rf"fft_length must have shape \[{rank}\]",
            when="run",
        ),
        Bad(
            lambda v: [v.any(*shape), np.zeros(rank + 1, np.int32)],
            f"Dimension must be {rank} but is {rank + 1}",
            when="build",
        ),
        Bad(
            lambda v: [v.any(*shape), np.int32(1)],
            "Shape must be rank 1 but is rank 0",
            when="build",
        ),
        Bad(
            lambda v: [v.any(*shape), zeros + 1 + 9 * last],
            f"Input dimension {rank - 1} must have length of at least",
        ),
    )


CASES = [
    *(
        Case(
            f"{letter}FFT{RANKS[rank]}",
            lambda v, s=shape: [v.any(*s)],
            COMPLEX,
            gradients=(0,),
            label=str(shape),
            rtol=1e-5,
            bad=_refused_rank(rank) if shape == shapes[0] else (),
        )
        for rank, shapes in SIGNALS.items()
        for shape in shapes
        for letter in ("", "I")
    ),
    *(
        Case(
            f"RFFT{RANKS[rank]}",
            lambda v, s=shape, r=rank, c=change: [v.any(*s), _lengths(s, r, c)],
            (dtype,),
            attrs={"Tcomplex": COMPLEX_OF[dtype]},
            static=static,
            gradients=(0,) if rank < 3 and not change else (),
            label=f"{shape}{change}{static}{dtype}",
            rtol=1e-5,
            numeric=False,
            bad=_bad_lengths(rank) if shape == shapes[0] and static and dtype == "float32" else (),
        )
        for rank, shapes in SIGNALS.items()
        for shape in shapes
        if 0 not in shape
        for change, static in ((0, (1,)), (0, ()), (-1, (1,)))
        for dtype in FLOAT32_64
    ),
    *(
        Case(
            f"IRFFT{RANKS[rank]}",
            lambda v, s=shape, r=rank, c=change: [_spectrum(v, s), _lengths(s, r, c)],
            (dtype,),
            attrs={"Treal": real},
            static=static,
            gradients=(0,) if rank < 3 and not change else (),
            label=f"{shape}{change}{static}{dtype}",
            rtol=1e-5,
            bad=_bad_lengths(rank) if shape == shapes[0] and static and real == "float32" else (),
        )
        for rank, shapes in SIGNALS.items()
        for shape in shapes
        if 0 not in shape
        for change, static in ((0, (1,)), (0, ()), (-1, (1,)))
        for real, dtype in COMPLEX_OF.items()
    ),
]


def _real_slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    for size in (7, 8):
        signal = v.known(v.any(2, 3, size))
        for lengths in ([size], [3, size]):
            ahead, back = {
                1: (tf.signal.rfft, tf.signal.irfft),
                2: (tf.signal.rfft2d, tf.signal.irfft2d),
            }[len(lengths)]
            spectrum = ahead(signal, lengths)
            yield slopes(tf, [tf.real(spectrum), tf.imag(spectrum)], [signal])
            kept = tf.complex(signal[..., : size // 2 + 1], signal[..., -(size // 2 + 1) :])
            yield slopes(tf, [back(kept, lengths)], [signal])


def _mixed_types(tf: Any, v: Inputs) -> Iterator[Step]:
    spectrum = tf.signal.rfft(v.fed(v.any(2, 6)))
    yield run(spectrum, tf.signal.irfft(spectrum))


PROGRAMS = [
    Program("RFFT IRFFT RFFT2D IRFFT2D", _real_slopes, FLOAT32_64, gradients=True, rtol=1e-4),
    # TensorFlow needs the rank, and forgets axes that are not transformed.
    Program("RFFT IRFFT", _mixed_types, FLOAT32_64, rtol=1e-5, shapes=(STATIC, PARTIAL)),
]
