"""Sound: WAV files, spectrograms, and the coefficients that recognizers of speech read."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, with_rank
from dataflow.values.shapes import TensorShape


def _decoded_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 0)
    dims = []
    for name in ("samples", "channels"):
        wanted = c.attr(f"desired_{name}")
        if wanted < -1:
            raise ValueError(f"{name} must be non-negative, got {wanted}")
        dims.append(None if wanted == -1 else wanted)
    return [TensorShape.of(tuple(dims)), SCALAR]


def _encoded_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 2)
    with_rank(c.input(1), 0)
    return SCALAR


def _spectrogram_shape(c: InferenceContext) -> TensorShape:
    signal = with_rank(c.input(0), 2)
    window, stride = c.attr("window_size"), c.attr("stride")
    if window <= 1:
        raise ValueError(f"window size must be > 1, got {window}")
    if stride <= 0:
        raise ValueError(f"stride must be strictly positive, got {stride}")
    samples = size_at(signal, 0)
    frames = None if samples is None else max(0, 1 + (samples - window) // stride)
    return TensorShape.of((size_at(signal, 1), frames, spectrogram_width(window)))


def spectrogram_width(window: int) -> int:
    """How many frequencies the spectrum of a window has: it is filled up to a power of 2."""
    return 1 + (1 << (window - 1).bit_length()) // 2


def _coefficients_shape(c: InferenceContext) -> TensorShape:
    spectrogram = with_rank(c.input(0), 3)
    with_rank(c.input(1), 0)
    count = c.attr("dct_coefficient_count")
    return TensorShape.of((size_at(spectrogram, 0), size_at(spectrogram, 1), count))


define_op(
    "DecodeWav",
    inputs="contents: string",
    outputs="audio: float32, sample_rate: int32",
    attrs=["desired_channels: int = -1", "desired_samples: int = -1"],
    shape=_decoded_shape,
    gradient=MISSING_GRADIENT,
    doc="The samples of a WAV file of 16-bit integers, from -1 to 1.",
)

define_op(
    "EncodeWav",
    inputs="audio: float32, sample_rate: int32",
    outputs="contents: string",
    shape=_encoded_shape,
    gradient=MISSING_GRADIENT,
    doc="A WAV file of 16-bit integers.",
)

define_op(
    "AudioSpectrogram",
    inputs="input: float32",
    outputs="spectrogram: float32",
    attrs=["window_size: int", "stride: int", "magnitude_squared: bool = false"],
    shape=_spectrogram_shape,
    gradient=MISSING_GRADIENT,
    doc="The magnitudes of the spectra of windows that follow each other.",
)

define_op(
    "Mfcc",
    inputs="spectrogram: float32, sample_rate: int32",
    outputs="output: float32",
    attrs=[
        "upper_frequency_limit: float = 4000.0",
        "lower_frequency_limit: float = 20.0",
        "filterbank_channel_count: int = 40",
        "dct_coefficient_count: int = 13",
    ],
    shape=_coefficients_shape,
    gradient=MISSING_GRADIENT,
    doc="The cepstral coefficients of spectrograms on the mel scale.",
)


def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> Any:
    """Reads a WAV file of 16-bit integers.

    Args:
      contents: The file, a scalar string.
      desired_channels: How many channels to make of those in the file: the first ones, or these
        again. -1 for those that there are.
      desired_samples: How many samples to make: the first ones, or zeros behind them. -1 for all.
      name: Name of the operation.

    Returns:
      The named tuple (audio, sample_rate): float32 from -1 to 1, `[samples, channels]`; int32.

    Raises:
      InvalidArgumentError: In the step, if it is no such file.
    """
    return apply_op(
        "DecodeWav",
        contents,
        desired_channels=desired_channels,
        desired_samples=desired_samples,
        name=name,
    )


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """Makes a WAV file of 16-bit integers.

    Args:
      audio: float32 from -1 to 1, `[samples, channels]`; what is beyond is cut off.
      sample_rate: Samples per second, a scalar int32.
      name: Name of the operation.

    Returns:
      The file, a scalar string.
    """
    return single("EncodeWav", audio, sample_rate, name=name)


def audio_spectrogram(
    input: Any,
    window_size: int,
    stride: int,
    magnitude_squared: bool = False,
    name: str | None = None,
) -> Tensor:
    """The magnitudes of the spectra of windows of a signal, weighted by Hann's function.

    Args:
      input: float32, `[samples, channels]`.
      window_size: Samples in a window.
      stride: From the start of one window to that of the next.
      magnitude_squared: Whether to leave the root out.
      name: Name of the operation.

    Returns:
      float32, `[channels, windows, frequencies]`: a window is filled up to a power of 2.
    """
    return single(
        "AudioSpectrogram",
        input,
        window_size=window_size,
        stride=stride,
        magnitude_squared=magnitude_squared,
        name=name,
    )


def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Tensor:
    """The cepstral coefficients of squared magnitudes, on the mel scale.

    Args:
      spectrogram: float32, `[channels, windows, frequencies]`; see `audio_spectrogram`.
      sample_rate: Samples per second of the signal, a scalar int32.
      upper_frequency_limit: The highest frequency that counts.
      lower_frequency_limit: The lowest.
      filterbank_channel_count: How many bands of the mel scale.
      dct_coefficient_count: How many coefficients to keep.
      name: Name of the operation.

    Returns:
      float32, `[channels, windows, dct_coefficient_count]`.
    """
    return single(
        "Mfcc",
        spectrogram,
        sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )
