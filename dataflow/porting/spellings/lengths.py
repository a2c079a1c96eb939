"""tensorflow.python.layers.utils: arguments of convolutions, and how long their outputs are."""

from __future__ import annotations

from typing import Any, Final

from dataflow.control_flow.smart_cond import smart_constant_value
from dataflow.variables.variable import Variable

_LETTERS: Final = {3: "W", 4: "HW", 5: "DHW"}
_LENGTHS: Final = ("same", "valid", "full")


def convert_data_format(data_format: str, ndim: int) -> str:
    """ "channels_last" of a rank as "NHWC", and so on.

    Raises:
      ValueError: For another text or rank.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if ndim not in _LETTERS:
        raise ValueError("Input rank not supported:", ndim)
    space = _LETTERS[ndim]
    return f"N{space}C" if data_format == "channels_last" else f"NC{space}"


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """One integer, or n of them, as n.

    Raises:
      ValueError: If it is neither.
    """
    if isinstance(value, int):
        return (value,) * n
    wrong = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(wrong) from None
    if len(values) != n:
        raise ValueError(wrong)
    for single in values:
        try:
            int(single)
        except (ValueError, TypeError):
            raise ValueError(f"{wrong} including element {single} of type {type(single)}") from None
    return values


def normalize_data_format(value: str) -> str:
    """In small letters.

    Raises:
      ValueError: If it is neither of the two that there are.
    """
    data_format = value.lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return data_format


def normalize_padding(value: str) -> str:
    """In small letters.

    Raises:
      ValueError: If it is neither of the two that there are.
    """
    padding = value.lower()
    if padding not in ("valid", "same"):
        raise ValueError(
            f'The `padding` argument must be one of "valid", "same". Received: {padding}'
        )
    return padding


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How long a convolution's output is, or None if its input's length is not known."""
    if input_length is None:
        return None
    assert padding in _LENGTHS
    reach = (filter_size - 1) * dilation
    length = input_length + {"same": 0, "valid": -reach, "full": reach}[padding]
    return -(-length // stride)


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """How long the shortest input of an output is, or None if that one's length is not known."""
    if output_length is None:
        return None
    assert padding in _LENGTHS
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """How long a transposed convolution's output is, or None if its input's is not known."""
    if input_length is None:
        return None
    length = input_length * stride
    if padding == "valid":
        return length + max(filter_size - stride, 0)
    return length - (stride + filter_size - 2) if padding == "full" else length


def constant_value(pred: Any) -> bool | None:
    """A predicate's value if it is known, else None; a variable's is not.

    Raises:
      TypeError: If it is no tensor, variable or bool, nor 0 or 1.
    """
    if isinstance(pred, Variable):
        return None
    return smart_constant_value(pred)  # type: ignore[no-any-return]
