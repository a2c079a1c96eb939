"""Numbers the distinct ones of integers in the order in which they appear, as machine code.

They stand in a table with twice as many places at least, each at the first free place from that on
which its hash names.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.compiled import is_there
from dataflow.kernels.native.guards import DATA
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.program import LETTERS
from dataflow.kernels.native.text import Text, memory_type

_MOST: Final = 1 << 30
"""Values whose numbers fit into 32 bits."""
_FACTOR: Final = 0x9E3779B97F4A7C15 - 2**64
"""2^64 divided by the golden ratio: the upper bits of products with it are spread well (Knuth, The
Art of Computer Programming 3, section 6.4)."""
_LONG: Final = 1 << 13
"""Values from which on other threads may run meanwhile."""
_ARRAYS: Final = ("values", "table", "distinct", "numbers")


def number_distinct(values: Any, number_type: Any) -> tuple[Any, Any] | None:
    """The distinct values, and for each value which of them it is.

    Args:
      values: Integers of shape [n].
      number_type: int32 or int64.

    Returns:
      Arrays of shapes [m] and [n]; None if they have to be found in another way.
    """
    if values.dtype.kind not in "iu" or len(values) > _MOST or not is_there():
        return None
    seen = values
    if LETTERS.get(values.dtype) not in ("i", "l"):
        seen = values.astype(np.int64)
    seen = np.ascontiguousarray(seen)
    count = len(seen)
    bits = count.bit_length() + 1
    distinct = np.empty(count, seen.dtype)
    numbers = np.empty(count, number_type)
    run = _function(LETTERS[seen.dtype], LETTERS[numbers.dtype])
    found = run(seen, np.zeros(1 << bits, np.int32), distinct, numbers, count, bits)
    return distinct[:found].astype(values.dtype), numbers


@cache
def _function(letter: str, number: str) -> Builtin:
    found = compiler()
    assert found is not None
    return found.compile(_written(letter, number)).function(b"")


def _written(letter: str, number: str) -> str:
    """The text of a module whose function takes `_ARRAYS`, how many values there are, and of how
    many bits places of the table are; it says how many values are distinct.

    Args:
      letter: That of the values' type.
      number: That of the type of their numbers.
    """
    text = Text()
    kind, written = memory_type(letter, 1), memory_type(number, 1)
    text.label("entry")
    objects = [text.load("ptr", "%arguments", 8 * place) for place in range(len(_ARRAYS) + 2)]
    pointers = {
        name: text.load("ptr", one, DATA) for name, one in zip(_ARRAYS, objects, strict=False)
    }
    count, bits = (text.value(f"call i64 @PyLong_AsSsize_t(ptr {one})") for one in objects[-2:])
    thread = let_others_run(text, count, _LONG)
    shift = text.value(f"sub i64 64, {bits}")
    places = text.value(f"shl i64 1, {bits}")
    mask = text.value(f"sub i64 {places}, 1")

    def entry(name: str, at: str, of: str) -> str:
        return text.value(f"getelementptr {of}, ptr {pointers[name]}, i64 {at}")

    text.put("br label %begin")
    text.label("begin")
    text.put("br label %next")
    text.label("next")
    text.put("%at = phi i64 [0, %begin], [%at.next, %written]")
    text.put("%found = phi i64 [0, %begin], [%found.next, %written]")
    goes_on = text.value(f"icmp slt i64 %at, {count}")
    text.put(f"br i1 {goes_on}, label %hash, label %end")
    text.label("hash")
    value = text.load(kind, entry("values", "%at", kind))
    wide = value if kind == "i64" else text.value(f"sext {kind} {value} to i64")
    product = text.value(f"mul i64 {wide}, {_FACTOR}")
    first = text.value(f"lshr i64 {product}, {shift}")
    text.put("br label %look")
    text.label("look")
    text.put(f"%place = phi i64 [{first}, %hash], [%place.next, %pass]")
    there = entry("table", "%place", "i32")
    known = text.load("i32", there)
    # A place that is taken holds one more than the number.
    is_free = text.value(f"icmp eq i32 {known}, 0")
    text.put(f"br i1 {is_free}, label %take, label %compare")
    text.label("compare")
    less = text.value(f"sub i32 {known}, 1")
    old = text.value(f"zext i32 {less} to i64")
    other = text.load(kind, entry("distinct", old, kind))
    is_same = text.value(f"icmp eq {kind} {other}, {value}")
    text.put(f"br i1 {is_same}, label %write, label %pass")
    text.label("pass")
    beyond = text.value("add i64 %place, 1")
    text.put(f"%place.next = and i64 {beyond}, {mask}")
    text.put("br label %look")
    text.label("take")
    text.put(f"store {kind} {value}, ptr {entry('distinct', '%found', kind)}, align 1")
    more = text.value("add i64 %found, 1")
    short = text.value(f"trunc i64 {more} to i32")
    text.put(f"store i32 {short}, ptr {there}, align 1")
    text.put("br label %write")
    text.label("write")
    text.put(f"%number = phi i64 [{old}, %compare], [%found, %take]")
    text.put(f"%found.next = phi i64 [%found, %compare], [{more}, %take]")
    cut = "%number" if written == "i64" else text.value(f"trunc i64 %number to {written}")
    text.put(f"store {written} {cut}, ptr {entry('numbers', '%at', written)}, align 1")
    text.put("br label %written")
    text.label("written")
    text.put("%at.next = add i64 %at, 1")
    text.put("br label %next")
    text.label("end")
    return_alone(text, thread)
    result = text.value("call ptr @PyLong_FromSsize_t(i64 %found)")
    text.put(f"ret ptr {result}")
    return module_text(text.lines)
