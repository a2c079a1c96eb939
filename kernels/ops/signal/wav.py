"""Kernels of WAV files."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_LARGEST: Final = 2**31 - 1
_SCALE: Final = 1 << 15


class _Reader:
    """A file from which fields are read one after the other."""

    def __init__(self, contents: bytes) -> None:
        self._contents = contents
        self.place = 0

    def take(self, count: int) -> bytes:
        """The next bytes.

        Raises:
          InvalidArgumentError: There are not so many.
        """
        found = self._contents[self.place : self.place + count]
        if len(found) < count:
            raise invalid("Data too short when trying to read string")
        self.place += count
        return found

    def number(self, size: int) -> int:
        """The next bytes as a number."""
        return int.from_bytes(self.take(size), "little")

    def expect(self, text: bytes) -> None:
        """The next bytes, which are known."""
        found = self.take(len(text))
        if found != text:
            shown = found.decode(errors="replace")
            raise invalid(f"Header mismatch: Expected {text.decode()} but found {shown}")

    @property
    def goes_on(self) -> bool:
        """Whether there is more."""
        return self.place < len(self._contents)


def _decoded(contents: bytes) -> tuple[np.ndarray, int]:
    """The samples, a row for each time, and how many there are in a second."""
    reader = _Reader(contents)
    reader.expect(b"RIFF")
    reader.number(4)
    reader.expect(b"WAVE")
    reader.expect(b"fmt ")
    size = reader.number(4)
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    form, channels = reader.number(2), reader.number(2)
    rate, per_second = reader.number(4), reader.number(4)
    per_sample, bits = reader.number(2), reader.number(2)
    reader.place += size - 16
    if form != 1:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{form}")
    if channels < 1:
        raise invalid(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    if per_second != (per_sample * rate) % 2**32:
        raise invalid(
            "Bad bytes per second in WAV header: Expected "
            f"{(per_sample * rate) % 2**32} but got {per_second} (sample_rate={rate}, "
            f"bytes_per_sample={per_sample})"
        )
    if bits != 16:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if per_sample != 2 * channels:
        raise invalid(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {per_sample}"
        )
    return _data(reader, channels), rate


def _data(reader: _Reader, channels: int) -> np.ndarray:
    found: np.ndarray | None = None
    while reader.goes_on:
        name, size = reader.take(4), reader.number(4)
        if size > _LARGEST:
            raise invalid(
                f"WAV data chunk '{name.decode(errors='replace')}' is too large: {size} bytes, "
                f"but the limit is {_LARGEST}"
            )
        if name != b"data":
            reader.place += size
            continue
        if found is not None:
            raise invalid("More than one data chunk found in WAV")
        count = size // (2 * channels)
        samples = np.frombuffer(reader.take(2 * channels * count), "<i2")
        found = samples.reshape(count, channels)
    if found is None:
        raise invalid("No data chunk found in WAV")
    return found


@kernel(
    "DecodeWav",
    host_inputs=("contents",),
    host_outputs=("audio", "sample_rate"),
)
def decode_wav(node: KernelNode, xp: Any) -> Callable[..., Any]:
    wanted = node.attr("desired_samples"), node.attr("desired_channels")

    def run(contents: Any) -> tuple[Any, Any]:
        if np.ndim(contents):
            raise invalid(f"contents must be scalar, got shape {shape_text(np.shape(contents))}")
        samples, rate = _decoded(bytes(np.asarray(contents).item()))
        shape = tuple(
            have if want == -1 else want for have, want in zip(samples.shape, wanted, strict=True)
        )
        audio = np.zeros(shape, np.float32)
        count, channels = min(len(samples), shape[0]), shape[1]
        if audio.size:
            # The last channels there are stand for those that are missing.
            chosen = np.minimum(np.arange(channels), samples.shape[1] - 1)
            audio[:count] = samples[:count, chosen]
            audio /= _SCALE
        return audio, np.uint32(rate).astype(np.int32)

    return run


@kernel("EncodeWav", host_inputs=("audio", "sample_rate"), host_outputs=("contents",))
def encode_wav(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(audio: Any, sample_rate: Any) -> Any:
        if np.ndim(audio) != 2:
            raise invalid(f"audio must be 2-dimensional{shape_text(np.shape(audio))}")
        if np.ndim(sample_rate):
            raise rate_is_no_scalar(sample_rate)
        channels = audio.shape[1]
        rate = int(sample_rate)
        if rate <= 0:
            raise invalid(f"sample_rate must be in (0, 2^32), got: {rate % 2**64}")
        if not channels:
            raise invalid("num_channels must be in (0, 2^16), got: 0")
        if not 0 < channels < 2**16:
            raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
        scaled = np.nan_to_num(audio) * np.float32(_SCALE)
        rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
        data = np.clip(rounded, -_SCALE, _SCALE - 1).astype("<i2").tobytes()
        if len(data) > 2**32 - 37:
            raise invalid("Provided channels and audio cannot be encoded as a WAV")
        form = struct.pack(
            "<IHHIIHH", 16, 1, channels, rate, (rate * 2 * channels) % 2**32, 2 * channels, 16
        )
        head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + form
        made = np.empty((), object)
        made[()] = head + b"data" + struct.pack("<I", len(data)) + data
        return made

    return run


def rate_is_no_scalar(sample_rate: Any) -> InvalidArgumentError:
    """The error of a sample rate that is not one number."""
    shape = shape_text(np.shape(sample_rate))
    return invalid(f"Input sample_rate should be a scalar tensor, got {shape} instead.")
