"""What holds for all of tf.keras in a process: the type of floats, epsilon, the order of images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_SETTINGS: Final = {"epsilon": 1e-7, "floatx": "float32", "image_data_format": "channels_last"}


def backend() -> str:
    """The name of the library beneath: "tensorflow"."""
    return "tensorflow"


def epsilon() -> float:
    """What is added to divisors: 1e-7, or what `set_epsilon` was told."""
    return float(_SETTINGS["epsilon"])  # type: ignore[arg-type]


def set_epsilon(value: float) -> None:
    """Changes `epsilon`."""
    _SETTINGS["epsilon"] = value


def floatx() -> str:
    """The name of the type of floats: "float32", or what `set_floatx` was told."""
    return str(_SETTINGS["floatx"])


def set_floatx(value: str) -> None:
    """Changes `floatx`.

    Raises:
      ValueError: If it is no type of floats.
    """
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    _SETTINGS["floatx"] = value


def cast_to_floatx(x: Any) -> Any:
    """An array of the type of floats."""
    return np.asarray(x, dtype=floatx())


def image_data_format() -> str:
    """The order of images' dimensions: "channels_last", or what was set."""
    return str(_SETTINGS["image_data_format"])


def set_image_data_format(data_format: str) -> None:
    """Changes `image_data_format`.

    Raises:
      ValueError: If there is no such order.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    _SETTINGS["image_data_format"] = data_format


def format_of(data_format: str | None) -> str:
    """The order of images' dimensions that an argument says; None for `image_data_format`."""
    chosen = image_data_format() if data_format is None else data_format.lower()
    if chosen not in ("channels_last", "channels_first"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {data_format}"
        )
    return chosen
