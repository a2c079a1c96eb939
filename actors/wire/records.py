"""What messages are made of on the wire: numbers of records and extensions, types of fields."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final

from dataflow.actors.wire import messages
from dataflow.actors.wire.messages import Message
from dataflow.errors import ErrorReport
from dataflow.kernels.lists.optional import Optional
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.values.device_info import DeviceInfo


class Extension:
    """Numbers of the msgpack extensions: what is no number, string or tuple."""

    ARRAY: Final = 1
    SCALAR: Final = 2
    STRINGS: Final = 3
    RECORD: Final = 4
    VARIANTS: Final = 5
    LIST: Final = 6
    OPTIONAL: Final = 7
    MATRIX: Final = 8


VARIANTS: Final = (TensorList, Optional, SparseMatrix)
"""The types of variants that can cross."""
MAX_DEPTH: Final = 64
"""Extensions inside of each other; each level of a reader takes 40 KB of its thread's stack."""

RECORDS: Final[tuple[type[Any], ...]] = (
    ErrorReport,
    messages.DevicePart,
    messages.NodeTiming,
    messages.PlanOptions,
    DeviceInfo,
    *(m for m in typing.get_args(Message) if m is not ErrorReport),
)
"""Every class that can cross; its place is its number on the wire."""
NUMBERS: Final = {record: number for number, record in enumerate(RECORDS)}
FIELDS: Final = {record: tuple(f.name for f in dataclasses.fields(record)) for record in RECORDS}
MESSAGES: Final = frozenset(typing.get_args(Message))


def _check(annotation: Any) -> Callable[[Any], bool]:
    """A function that tells whether a decoded value fits an annotation without tensors."""
    if annotation is float:
        return lambda value: type(value) in (float, int)
    if annotation in (int, str, bytes, bool) or dataclasses.is_dataclass(annotation):
        return lambda value: type(value) is annotation
    arguments = typing.get_args(annotation)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        element = _check(arguments[0])
        return lambda value: type(value) is tuple and all(map(element, value))
    checks = [_check(argument) for argument in arguments]
    return lambda value: (
        type(value) is tuple
        and len(value) == len(checks)
        and all(check(v) for check, v in zip(checks, value, strict=True))
    )


def _outer_type(annotation: Any) -> type[Any] | None:
    """The one type that all values of a field have; None if there are several."""
    if annotation in (Any, float):
        return None
    found: type[Any] = typing.get_origin(annotation) or annotation
    return found


def _hints(record: type[Any]) -> list[tuple[int, Any]]:
    """The annotations of a record's fields, by their place behind its number."""
    hints = typing.get_type_hints(record)
    return [(place, hints[name]) for place, name in enumerate(FIELDS[record], 1)]


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """How a record crosses: its number, then the values of its fields."""

    record: type[Any]
    size: int
    """Values, the number among them."""
    fields: Callable[[Any], tuple[Any, ...]]
    """The values of a record's fields."""
    typed: Callable[[Sequence[Any]], tuple[Any, ...]]
    """The values that have one type: the number, and most."""
    types: tuple[type[Any], ...]
    """What types these are."""
    checks: tuple[tuple[int, Callable[[Any], bool]], ...]
    """Fields whose type does not say all: places among the values, and what a value must fit."""
    tensors: tuple[int, ...]
    """Places of tensors."""
    tensor_tuples: tuple[int, ...]
    """Places of tuples of tensors."""


def _several(getter: Callable[..., Any], keys: Sequence[Any]) -> Callable[[Any], Any]:
    """As `getter(*keys)`, but what it makes gives a tuple also of one key or none."""
    if len(keys) > 1:
        return getter(*keys)  # type: ignore[no-any-return]
    getters = [getter(key) for key in keys]
    return lambda source: tuple(get(source) for get in getters)


def _form(record: type[Any]) -> Form:
    hints = _hints(record)
    types = [(0, int), *((place, _outer_type(hint)) for place, hint in hints)]
    typed = [(place, kind) for place, kind in types if kind is not None]
    return Form(
        record,
        len(hints) + 1,
        _several(attrgetter, FIELDS[record]),
        _several(itemgetter, [place for place, _ in typed]),
        tuple(kind for _, kind in typed),
        tuple(
            (place, _check(hint))
            for place, hint in hints
            if hint is float or (typing.get_origin(hint) is tuple and hint != tuple[Any, ...])
        ),
        tuple(place for place, hint in hints if hint is Any),
        tuple(place for place, hint in hints if hint == tuple[Any, ...]),
    )


FORMS: Final = tuple(map(_form, RECORDS))
"""By number."""
