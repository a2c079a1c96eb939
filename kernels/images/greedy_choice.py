"""Takes boxes one by one unless they overlap one that was taken before, as machine code.

Behind a detector some hundred boxes of each of many classes are asked: numpy's calls for blocks of
boxes take three times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.functions import apply
from dataflow.kernels.native.guards import DATA
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.text import Text, memory_type, register_type
from dataflow.kernels.threads.stopping import look

_SIDES: Final = 5
"""The lower corner of a box, the upper one, and how large it is."""
_TOGETHER: Final = 1 << 10
"""Boxes that are looked at before the step is asked whether it goes on."""
_LONG: Final = 1 << 16
"""Pairs of boxes from which on other threads may run meanwhile."""
Array = np.ndarray[Any, Any]


class Choice:
    """The boxes that are taken, in their order."""

    def __init__(self, limit: int, most: np.float32) -> None:
        """Takes none yet.

        Args:
          limit: How many at most.
          most: Which part of the union of two of them may be in both.
        """
        self._limit, self._most = limit, np.array([most], np.float32)
        self._taken = 0
        self._places = np.empty(limit, np.int64)
        # What is not there yet has no size, and nothing overlaps it.
        self._sides = np.zeros((_SIDES, limit + _width()), np.float32)

    def take(self, boxes: Array, sides: Array) -> bool:
        """Takes what is still allowed of some boxes; says whether more are wanted.

        Args:
          boxes: Their numbers, the best one first.
          sides: Theirs, float32 of shape (5, boxes).
        """
        sides = np.ascontiguousarray(sides)
        for start in range(0, len(boxes), _TOGETHER):
            look()
            stop, before = min(start + _TOGETHER, len(boxes)), self._taken
            self._taken = _taking()(
                *(sides, self._sides, self._most, self._places, len(boxes)),
                *(self._sides.shape[1], start, stop, before, self._limit),
            )
            some = self._places[before : self._taken]
            some[:] = boxes[some]
            if self._taken == self._limit:
                return False
        return self._taken < self._limit

    def boxes(self) -> Array:
        """The numbers of those that were taken."""
        return self._places[: self._taken].astype(np.int32)


def _width() -> int:
    found = compiler()
    assert found is not None
    return found.width


@cache
def _taking() -> Builtin:
    """The function of sides, those of taken boxes, how much they may share, and their places.

    Further the columns of both, from which box to which it goes, how many there are already, and
    how many there may be. It gives how many there are then.
    """
    found = compiler()
    assert found is not None
    return found.compile(_Writer(found.width).write()).function(b"")


class _Writer:
    """Writes the function."""

    def __init__(self, width: int) -> None:
        self._text = Text()
        self._lanes = Lanes(self._text, width)
        self._width = width

    def write(self) -> str:
        """The text of a module."""
        text, lanes = self._text, self._lanes
        text.label("entry")
        objects = [text.load("ptr", "%arguments", 8 * place) for place in range(10)]
        sides, taken, most, places = (text.load("ptr", one, DATA) for one in objects[:4])
        columns, kept, start, stop, before, limit = (
            text.value(f"call i64 @PyLong_AsSsize_t(ptr {one})") for one in objects[4:]
        )
        boxes = text.value(f"sub i64 {stop}, {start}")
        thread = let_others_run(text, text.value(f"mul i64 {boxes}, {limit}"), _LONG)
        bound = lanes.everywhere("f", text.load("float", most))
        text.put("br label %begin")
        text.label("begin")
        text.put("br label %next")
        text.label("next")
        text.put(f"%at = phi i64 [{start}, %begin], [%behind, %done]")
        text.put(f"%count = phi i64 [{before}, %begin], [%counted, %done]")
        is_left = text.value(f"icmp slt i64 %at, {stop}")
        is_wanted = text.value(f"icmp slt i64 %count, {limit}")
        goes_on = text.value(f"and i1 {is_left}, {is_wanted}")
        text.put(f"br i1 {goes_on}, label %box, label %end")
        text.label("box")
        alone = [text.load("float", self._side(sides, columns, n, "%at")) for n in range(_SIDES)]
        box = [lanes.everywhere("f", one) for one in alone]
        text.put("br label %compared")
        text.label("compared")
        text.put("%other = phi i64 [0, %box], [%further, %vector]")
        is_other = text.value("icmp slt i64 %other, %count")
        text.put(f"br i1 {is_other}, label %vector, label %taken")
        text.label("vector")
        others = [lanes.load("f", self._side(taken, kept, n, "%other")) for n in range(_SIDES)]
        overlaps = self._overlaps(box, others, bound)
        text.put(f"%further = add i64 %other, {self._width}")
        text.put(f"br i1 {overlaps}, label %done, label %compared")
        text.label("taken")
        for n, one in enumerate(alone):
            text.put(f"store float {one}, ptr {self._side(taken, kept, n, '%count')}, align 1")
        place = text.value(f"getelementptr i64, ptr {places}, i64 %count")
        text.put(f"store i64 %at, ptr {place}, align 1")
        text.put("%more = add i64 %count, 1")
        text.put("br label %done")
        text.label("done")
        text.put("%counted = phi i64 [%count, %vector], [%more, %taken]")
        text.put("%behind = add i64 %at, 1")
        text.put("br label %next")
        text.label("end")
        return_alone(text, thread)
        text.put(f"ret ptr {text.value('call ptr @PyLong_FromSsize_t(i64 %count)')}")
        any_of = f"declare i1 {self._any()}({register_type('b', self._width)})"
        return module_text(text.lines, [any_of])

    def _side(self, sides: str, columns: str, row: int, column: str) -> str:
        text = self._text
        first = text.value(f"mul i64 {columns}, {row}")
        place = text.value(f"add i64 {first}, {column}")
        return text.value(f"getelementptr {memory_type('f', 1)}, ptr {sides}, i64 {place}")

    def _overlaps(self, box: Sequence[str], others: Sequence[str], most: str) -> str:
        """Whether a box and one of some others share too much of their union."""
        low, high, area = box[:2], box[2:4], box[4]
        zero = self._lanes.number("f", 0)
        lengths = [
            self._made(
                "maximum",
                self._made(
                    "subtract",
                    self._made("minimum", high[n], others[2 + n]),
                    self._made("maximum", low[n], others[n]),
                ),
                zero,
            )
            for n in range(2)
        ]
        shared = self._made("multiply", *lengths)
        union = self._made("subtract", self._made("add", area, others[4]), shared)
        # Without any size the part is NaN, which is not greater.
        overlaps = self._made("greater", self._made("divide", shared, union), most)
        truth = register_type("b", self._width)
        return self._text.value(f"call i1 {self._any()}({truth} {overlaps})")

    def _made(self, function: str, one: str, other: str) -> str:
        return apply(self._lanes, function, [("f", one), ("f", other)], "f")

    def _any(self) -> str:
        return f"@llvm.vector.reduce.or.v{self._width}i1"
