"""tf.keras.backend: what plain graphs ask it for."""

from __future__ import annotations

from typing import Any, Final

import dataflow.ops.array.broadcast as _broadcast
import dataflow.ops.array.concat as _concat
import dataflow.ops.array.shape as _shapes
from dataflow.graph.scopes import get_default_session

_SETTINGS: Final = {"epsilon": 1e-7, "floatx": "float32", "image_data_format": "channels_last"}


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


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The sizes that are known of a tensor, or None if its rank is not."""
    return None if x.shape.rank is None else tuple(x.shape.as_list())


def ndim(x: Any) -> int | None:
    """The rank of a tensor, if it is known."""
    return x.shape.rank  # type: ignore[no-any-return]


def dtype(x: Any) -> str:
    """The name of a tensor's type."""
    return str(x.dtype.base_dtype.name)


def repeat(x: Any, n: Any) -> Any:
    """A matrix's rows, each n times: (rows, n, columns)."""
    return _broadcast.tile(_shapes.expand_dims(x, 1), _concat.stack([1, n, 1]))


def get_session() -> Any:
    """The default session, or None."""
    return get_default_session()


def get_value(x: Any) -> Any:
    """The value of a variable or tensor in the default session."""
    return x.eval()
