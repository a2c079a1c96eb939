"""The ten rounds of Philox4x32-10 as machine code; the numbers of `philox_rounds`, some 15 times as
fast.

A number of 32 bits is the lower half of one of 64, whose upper half may hold anything: products
read the lower halves only, and what is written is cut to 32 bits.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.text import Text
from dataflow.kernels.random.philox_rounds import FIRST, KEY_STEPS, LOW, ROUNDS, SECOND

WORDS: Final = "words"
"""The four numbers of a block side by side,"""
FLOATS: Final = "floats"
"""the same as float32 from 0 to 1, of the lower 23 bits of each,"""
ROWS: Final = "rows"
"""or the first numbers of all blocks side by side, then the second ones, and so on."""
_MASK64: Final = 2**64 - 1
_GIVEN: Final = ("out", "offsets", "count", "counter", "high", "key", "gap")
_LONG: Final = 1 << 12
"""Blocks from which on other threads may run meanwhile: 20 us."""


def width() -> int:
    """Blocks that are made together: the fewest there can be; 0 if there is no machine code."""
    found = compiler()
    return 0 if found is None else found.width


def write_blocks(
    rows: np.ndarray, form: str, offsets: np.ndarray | None, counter: int, key: int
) -> None:
    """Writes blocks of a stream, at least `width()`.

    Args:
      rows: uint32 array of shape [4, n], the blocks in its columns; its rows are contiguous for
        `ROWS`, else its columns are and lie side by side.
      form: In which form.
      offsets: uint64 distances of the blocks from `counter`, shape [n]; by default 0, 1, ...
      counter: 128-bit number of the first block.
      key: The 64-bit key of the generator.
    """
    _function(form)(
        rows.ctypes.data,
        0 if offsets is None else offsets.ctypes.data,
        rows.shape[1],
        counter & _MASK64,
        counter >> 64 & _MASK64,
        key,
        rows.strides[0],
    )


@functools.cache
def _function(form: str) -> Builtin:
    found = compiler()
    assert found is not None
    return found.compile(_Writer(form, found.width).write()).function(b"")


class _Writer:
    """Writes the function of a form."""

    def __init__(self, form: str, width: int) -> None:
        self._form, self._width = form, width
        self._text = Text()
        self._wide = f"<{width} x i64>"

    def write(self) -> str:
        """The text of a module whose function takes the numbers `_GIVEN`, and says None."""
        text, width = self._text, self._width
        text.label("entry")
        given = {}
        for place, name in enumerate(_GIVEN):
            number = text.load("ptr", "%arguments", 8 * place)
            given[name] = text.value(f"call i64 @PyLong_AsUnsignedLongLongMask(ptr {number})")
        thread = let_others_run(text, given["count"], _LONG)
        text.put(f"%out = inttoptr i64 {given['out']} to ptr")
        text.put(f"%offsets = inttoptr i64 {given['offsets']} to ptr")
        text.put(f"%are.given = icmp ne i64 {given['offsets']}, 0")
        text.put(f"%last = sub i64 {given['count']}, {width}")
        keys = self._round_keys(given["key"])
        counter, high = self._all(given["counter"]), self._all(given["high"])
        text.put("br label %begin")
        text.label("begin")
        text.put("br label %loop")
        text.label("loop")
        text.put("%at = phi i64 [0, %begin], [%next, %written]")
        text.put("br i1 %are.given, label %read, label %count")
        text.label("read")
        read = text.load(self._wide, text.value("getelementptr i64, ptr %offsets, i64 %at"))
        text.put("br label %known")
        text.label("count")
        steps = f"<{', '.join(f'i64 {lane}' for lane in range(width))}>"
        counted = self._value("add", self._all("%at"), steps)
        text.put("br label %known")
        text.label("known")
        text.put(f"%offset = phi {self._wide} [{read}, %read], [{counted}, %count]")
        self._write_out(self._rounds(counter, high, keys), given["gap"])
        text.put("br label %written")
        text.label("written")
        # The last blocks may be written twice, so that there is no rest.
        text.put("%is.over = icmp eq i64 %at, %last")
        ahead = text.value(f"add i64 %at, {width}")
        is_rest = text.value(f"icmp sgt i64 {ahead}, %last")
        text.put(f"%next = select i1 {is_rest}, i64 %last, i64 {ahead}")
        text.put("br i1 %is.over, label %end, label %loop")
        text.label("end")
        return_alone(text, thread)
        text.put("call void @Py_IncRef(ptr @_Py_NoneStruct)")
        text.put("ret ptr @_Py_NoneStruct")
        return module_text(text.lines, ["@_Py_NoneStruct = external global i8"])

    def _value(self, operation: str, first: str, second: str) -> str:
        return self._text.value(f"{operation} {self._wide} {first}, {second}")

    def _all(self, number: str) -> str:
        """A number in each place of a vector."""
        text, wide = self._text, self._wide
        one = text.value(f"insertelement {wide} poison, i64 {number}, i64 0")
        return text.value(
            f"shufflevector {wide} {one}, {wide} poison, <{self._width} x i32> zeroinitializer"
        )

    def _constant(self, number: int) -> str:
        return f"<{', '.join([f'i64 {number}'] * self._width)}>"

    def _round_keys(self, key: str) -> list[tuple[str, str]]:
        text = self._text
        upper = text.value(f"lshr i64 {key}, 32")
        keys = []
        for index in range(ROUNDS):
            pair = []
            for half, step in zip((key, upper), KEY_STEPS, strict=True):
                moved = text.value(f"add i64 {half}, {step * index}")
                pair.append(self._all(text.value(f"and i64 {moved}, {LOW}")))
            keys.append((pair[0], pair[1]))
        return keys

    def _rounds(self, counter: str, high: str, keys: list[tuple[str, str]]) -> list[str]:
        """The four numbers of each block."""
        text, wide = self._text, self._wide
        low_mask, shift = self._constant(LOW), self._constant(32)
        low = self._value("add", counter, "%offset")
        carry = text.value(f"icmp ult {wide} {low}, {counter}")
        one = text.value(f"zext <{self._width} x i1> {carry} to {wide}")
        upper = self._value("add", high, one)
        numbers = [low, self._value("lshr", low, shift), upper, self._value("lshr", upper, shift)]
        for key_low, key_high in keys:
            products = [
                self._value("mul", self._value("and", numbers[2 * n], low_mask), self._constant(m))
                for n, m in enumerate((FIRST, SECOND))
            ]
            highs = [self._value("lshr", product, shift) for product in products]
            first = self._value("xor", self._value("xor", highs[1], numbers[1]), key_low)
            third = self._value("xor", self._value("xor", highs[0], numbers[3]), key_high)
            numbers = [first, products[1], third, products[0]]
        return numbers

    def _write_out(self, numbers: list[str], gap: str) -> None:
        text, wide, width = self._text, self._wide, self._width
        if self._form == ROWS:
            for row, number in enumerate(numbers):
                cut = text.value(f"trunc {wide} {number} to <{width} x i32>")
                place = text.value(f"mul i64 {gap}, {row}")
                line = text.value(f"getelementptr i8, ptr %out, i64 {place}")
                target = text.value(f"getelementptr i32, ptr {line}, i64 %at")
                text.put(f"store <{width} x i32> {cut}, ptr {target}, align 1")
            return
        mask, shift = self._constant(LOW), self._constant(32)
        pairs = [
            self._value(
                "or",
                self._value("and", numbers[n], mask),
                self._value("shl", numbers[n + 1], shift),
            )
            for n in (0, 2)
        ]
        order = ", ".join(f"i32 {lane}, i32 {width + lane}" for lane in range(width))
        both = text.value(
            f"shufflevector {wide} {pairs[0]}, {wide} {pairs[1]}, <{2 * width} x i32> <{order}>"
        )
        kind = f"<{4 * width} x i32>"
        found = text.value(f"bitcast <{2 * width} x i64> {both} to {kind}")
        if self._form == FLOATS:
            found, kind = self._as_floats(found, 4 * width)
        block = text.value("shl i64 %at, 4")
        target = text.value(f"getelementptr i8, ptr %out, i64 {block}")
        text.put(f"store {kind} {found}, ptr {target}, align 1")

    def _as_floats(self, words: str, count: int) -> tuple[str, str]:
        """From 1 to 2, of the mantissa's bits; then one less."""
        text = self._text
        kinds = f"<{count} x i32>", f"<{count} x float>"
        parts = [f"<{', '.join([f'i32 {bits}'] * count)}>" for bits in (0x7FFFFF, 127 << 23)]
        mantissa = text.value(f"and {kinds[0]} {words}, {parts[0]}")
        bits = text.value(f"or {kinds[0]} {mantissa}, {parts[1]}")
        floats = text.value(f"bitcast {kinds[0]} {bits} to {kinds[1]}")
        ones = f"<{', '.join(['float 1.0'] * count)}>"
        return text.value(f"fsub {kinds[1]} {floats}, {ones}"), kinds[1]
