"""The mel scale: spectra weighted as ears do, and the coefficients made of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.signal.cosine import dct
from dataflow.ops.array.pad import pad
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.linspace import linspace
from dataflow.values import dtypes

_BREAK: Final = 700.0
_HIGH: Final = 1127.0
"""The mel scale: mel = _HIGH log(1 + hertz / _BREAK)."""


def _mel(hertz: Any) -> Any:
    return _HIGH * math_unary.log(1.0 + hertz / _BREAK)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix by which a spectrum becomes one of bands of the mel scale: triangles that overlap.

    Args:
      num_mel_bins: How many bands.
      num_spectrogram_bins: How many elements the spectrum has, that of frequency 0 among them.
      sample_rate: Samples per second of the signal.
      lower_edge_hertz: Where the lowest band begins.
      upper_edge_hertz: Where the highest ends.
      dtype: A floating type.
      name: Name of the scope of the operations.

    Returns:
      Shape `[num_spectrogram_bins, num_mel_bins]`.

    Raises:
      ValueError: A number is out of range.
    """
    with name_scope(name, "linear_to_mel_weight_matrix"):
        if num_mel_bins <= 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
        if lower_edge_hertz < 0.0:
            raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
        if lower_edge_hertz >= upper_edge_hertz:
            raise ValueError(
                f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz "
                f"{upper_edge_hertz:.1f}"
            )
        if not isinstance(sample_rate, Tensor):
            if sample_rate <= 0.0:
                raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
            if upper_edge_hertz > sample_rate / 2:
                raise ValueError(
                    "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / "
                    f"2). Got {upper_edge_hertz} for sample_rate: {sample_rate}"
                )
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"dtype must be a floating point type. Got: {dtype}")
        rate: Any = cast(sample_rate, dtype)
        lower = convert_to_tensor(lower_edge_hertz, dtype, name="lower_edge_hertz")
        upper = convert_to_tensor(upper_edge_hertz, dtype, name="upper_edge_hertz")
        zero = convert_to_tensor(0.0, dtype)
        frequencies: Any = linspace(zero, rate / 2.0, num_spectrogram_bins)
        mels: Any = array_shape.expand_dims(_mel(frequencies[1:]), 1)
        edges: Any = linspace(_mel(lower), _mel(upper), num_mel_bins + 2)
        begin, middle, end = (
            array_shape.reshape(edges[i : i + num_mel_bins], [1, num_mel_bins]) for i in range(3)
        )
        rising = (mels - begin) / (middle - begin)
        falling = (end - mels) / (end - middle)
        weights = maximum(zero, minimum(rising, falling))
        return pad(weights, [[1, 0], [0, 0]])


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The cepstral coefficients of logarithmic mel spectra: their cosine transform, as HTK has it.

    Args:
      log_mel_spectrograms: float32 or float64, shape `[..., num_mel_bins]`.
      name: Name of the scope of the operations.

    Raises:
      ValueError: There are no bands.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms)
        known = spectra.shape.as_list()[-1] if spectra.shape.rank is not None else None
        if known == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
        sizes: Any = array_shape.shape(spectra)
        bins: Any = cast(sizes[-1], spectra.dtype) if known is None else float(known)
        found: Any = dct(spectra, type=2)
        scale = math_unary.rsqrt(bins * 2.0) if known is None else 1 / np.sqrt(2.0 * bins)
        result: Tensor = found * scale
        return result
