"""Hashes by machine code, of texts of any lengths that stand one behind the other."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from dataflow.kernels.hashes.formulas import Hash, State
from dataflow.kernels.native.builtin import Builtin, compiler
from dataflow.kernels.native.lock import let_others_run, return_alone
from dataflow.kernels.native.module import module_text
from dataflow.kernels.native.text import Text
from dataflow.kernels.native.words import Word

SLACK: Final = 8
"""Bytes behind the last text, which are read and not used."""
_GIVEN: Final = ("out", "texts", "ends", "count", "first", "second")
_LONG: Final = 1 << 16
"""Bytes from which on other threads may run meanwhile: some 20 us."""


def is_there() -> bool:
    """Whether there is machine code."""
    return compiler() is not None


def hash_texts(what: Hash, texts: bytes, ends: np.ndarray, out: np.ndarray) -> None:
    """Writes the hashes of texts.

    Args:
      what: Which.
      texts: All of them, and `SLACK` bytes.
      ends: int64 array of shape [n + 1]: 0, and where each text ends.
      out: uint64 array of shape [n] that they are written to.
    """
    given = np.frombuffer(texts, np.uint8)
    _function(what._replace(keys=()))(
        out.ctypes.data, given.ctypes.data, ends.ctypes.data, out.size, *(*what.keys, 0, 0)[:2]
    )


@functools.cache
def _function(what: Hash) -> Builtin:
    found = compiler()
    assert found is not None
    return found.compile(_Writer(what).write()).function(b"")


class _Written:
    """The text that a function is at."""

    def __init__(self, text: Text, start: str, size: Word, keys: State) -> None:
        self._text, self._start = text, start
        self.size, self.keys = size, keys

    def word(self, place: Word | int, size: int = 8) -> Word:
        """Some of its bytes, the first one the lowest of a number."""
        name = place.name if isinstance(place, Word) else str(int(place))
        pointer = self._text.at(self._start, name)
        found = self._text.load(f"i{8 * size}", pointer)
        if size < 8:
            found = self._text.value(f"zext i{8 * size} {found} to i64")
        return Word(self._text, found)

    def tail(self) -> Word:
        """What is left of eight bytes each; others are read with them."""
        left = self.size & 7
        return self.word(self.size - left) & ((1 << (left << 3)) - 1)

    def choose(self, test: Word, word: Word, other: Word) -> Word:
        """One of two words."""
        holds = self._text.value(f"icmp ne i64 {test.name}, 0")
        chosen = f"select i1 {holds}, i64 {word.name}, i64 {other.name}"
        return Word(self._text, self._text.value(chosen))


class _Writer:
    """Writes the function of a hash."""

    def __init__(self, what: Hash) -> None:
        self._what = what
        self._text = Text()

    def write(self) -> str:
        """The text of a module whose function takes the numbers `_GIVEN`, and says None."""
        text = self._text
        text.label("entry")
        given = {}
        for place, name in enumerate(_GIVEN):
            number = text.load("ptr", "%arguments", 8 * place)
            given[name] = text.value(f"call i64 @PyLong_AsUnsignedLongLongMask(ptr {number})")
        for name in _GIVEN[:3]:
            text.put(f"%{name} = inttoptr i64 {given[name]} to ptr")
        last = text.load("i64", text.value(f"getelementptr i64, ptr %ends, i64 {given['count']}"))
        thread = let_others_run(text, last, _LONG)
        text.put("br label %begin")
        text.label("begin")
        text.put("br label %loop")
        text.label("loop")
        text.put("%at = phi i64 [0, %begin], [%next, %hashed]")
        text.put(f"%is.over = icmp eq i64 %at, {given['count']}")
        text.put("br i1 %is.over, label %end, label %text")
        text.label("text")
        text.put("%next = add i64 %at, 1")
        start, stop = (
            text.load("i64", text.value(f"getelementptr i64, ptr %ends, i64 {place}"))
            for place in ("%at", "%next")
        )
        size = Word(text, stop) - Word(text, start)
        keys = Word(text, given["first"]), Word(text, given["second"])
        self._write_hash(_Written(text, text.at("%texts", start), size, keys))
        text.label("end")
        return_alone(text, thread)
        text.put("call void @Py_IncRef(ptr @_Py_NoneStruct)")
        text.put("ret ptr @_Py_NoneStruct")
        return module_text(text.lines, ["@_Py_NoneStruct = external global i8"])

    def _write_hash(self, row: _Written) -> None:
        text, what = self._text, self._what
        found = []
        ways = [(what.least, "long"), *((least, f"from{least}") for least, _ in what.short)]
        for least, label in ways[:-1]:
            is_long = text.value(f"icmp uge i64 {row.size.name}, {least}")
            text.put(f"br i1 {is_long}, label %{label}, label %below{least}")
            text.label(f"below{least}")
        text.put(f"br label %{ways[-1][1]}")
        for least, function in what.short:
            text.label(f"from{least}")
            found.append(f"[{function(row).name}, %from{least}]")
            text.put("br label %hashed")
        text.label("long")
        found.append(f"[{self._write_long(row)}, %ended]")
        text.put("br label %hashed")
        text.label("hashed")
        made = text.value(f"phi i64 {', '.join(found)}")
        place = text.value("getelementptr i64, ptr %out, i64 %at")
        text.put(f"store i64 {made}, ptr {place}, align 8")
        text.put("br label %loop")

    def _write_long(self, row: _Written) -> str:
        """The name of the hash of a text whose words go through a state."""
        text, what = self._text, self._what
        state = what.begin(row)
        looped = what.looped(row.size)
        text.put("br label %steps")
        text.label("steps")
        text.put("%place = phi i64 [0, %long], [%place.next, %step]")
        held = []
        for number, word in enumerate(state):
            text.put(f"%s{number} = phi i64 [{word.name}, %long], [%s{number}.next, %step]")
            held.append(Word(text, f"%s{number}"))
        text.put(f"%is.done = icmp uge i64 %place, {looped.name}")
        text.put("br i1 %is.done, label %ended, label %step")
        text.label("step")
        for number, word in enumerate(what.step(row, Word(text, "%place"), tuple(held))):
            text.put(f"%s{number}.next = add i64 {word.name}, 0")
        text.put(f"%place.next = add i64 %place, {what.stride}")
        text.put("br label %steps")
        text.label("ended")
        name: str = what.end(row, tuple(held)).name
        return name
