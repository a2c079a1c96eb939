"""Orders that words of a stream put rows into."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.compiled import is_there
from dataflow.kernels.native.guards import DATA
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.text import Text

_LONG: Final = 1 << 13
"""Rows from which on other threads may run meanwhile."""


def shuffled(words: np.ndarray) -> Any:
    """The order of one row more than there are words: Fisher and Yates, from the front.

    Args:
      words: Unsigned integers of shape [n].

    Returns:
      Row numbers, int64 of shape [n + 1].
    """
    count = len(words)
    order, places = np.arange(count + 1), np.arange(count)
    others = places + (words % (count + 1 - places).astype(words.dtype)).astype(np.int64)
    if is_there():
        _swaps()(order, others, count)
        return order
    rows = order.tolist()
    for place, other in enumerate(others.tolist()):
        rows[place], rows[other] = rows[other], rows[place]
    return np.array(rows)


@cache
def _swaps() -> Builtin:
    """Exchanges the rows at 0, 1, ... with those at other places, one after the other.

    It takes the rows, the places and how many there are, and gives that number back.
    """
    found = compiler()
    assert found is not None
    return found.compile(_written()).function(b"")


def _written() -> str:
    text = Text()
    text.label("entry")
    objects = [text.load("ptr", "%arguments", 8 * place) for place in range(3)]
    rows, others = (text.load("ptr", one, DATA) for one in objects[:2])
    count = text.value(f"call i64 @PyLong_AsSsize_t(ptr {objects[2]})")
    thread = let_others_run(text, count, _LONG)
    text.put("br label %begin")
    text.label("begin")
    text.put("br label %next")
    text.label("next")
    text.put("%at = phi i64 [0, %begin], [%behind, %swap]")
    goes_on = text.value(f"icmp slt i64 %at, {count}")
    text.put(f"br i1 {goes_on}, label %swap, label %end")
    text.label("swap")
    other = text.load("i64", text.value(f"getelementptr i64, ptr {others}, i64 %at"))
    here = text.value(f"getelementptr i64, ptr {rows}, i64 %at")
    there = text.value(f"getelementptr i64, ptr {rows}, i64 {other}")
    first, second = text.load("i64", here), text.load("i64", there)
    text.put(f"store i64 {second}, ptr {here}, align 1")
    text.put(f"store i64 {first}, ptr {there}, align 1")
    text.put("%behind = add i64 %at, 1")
    text.put("br label %next")
    text.label("end")
    return_alone(text, thread)
    text.put(f"ret ptr {text.value(f'call ptr @PyLong_FromSsize_t(i64 {count})')}")
    return module_text(text.lines)
