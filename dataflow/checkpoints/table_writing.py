"""Sorted tables as bytes: what `table.py` reads, and TensorFlow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dataflow.checkpoints.table import FOOTER, MAGIC, PLAIN
from dataflow.checkpoints.varints import varint
from dataflow.values.crc32c import crc32c, masked

_BLOCK: Final = 1 << 18
_RESTART: Final = 16
"""Entries after which a key is written in full."""


def table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of these entries, whose keys ascend."""
    out, index = bytearray(), _Block(restart=1)
    block, last = _Block(), b""
    for key, value in entries:
        if len(block.data) >= _BLOCK:
            index.add(last, _write(out, block))
            block = _Block()
        block.add(key, value)
        last = key
    index.add(last, _write(out, block))
    footer = _write(out, _Block()) + _write(out, index)
    return bytes(out) + footer.ljust(FOOTER - len(MAGIC), b"\0") + MAGIC


class _Block:
    def __init__(self, restart: int = _RESTART) -> None:
        self.data = bytearray()
        self._restart, self._restarts = restart, [0]
        self._since, self._last = 0, b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._since == self._restart:
            self._restarts.append(len(self.data))
            self._since = 0
        elif self._since:
            shared = _common(self._last, key)
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value))
        self.data += key[shared:] + value
        self._since, self._last = self._since + 1, key

    def finished(self) -> bytes:
        numbers = [*self._restarts, len(self._restarts)]
        return bytes(self.data) + b"".join(n.to_bytes(4, "little") for n in numbers)


def _common(a: bytes, b: bytes) -> int:
    """How many bytes two keys begin with alike."""
    limit = min(len(a), len(b))
    return next((i for i in range(limit) if a[i] != b[i]), limit)


def _write(out: bytearray, block: _Block) -> bytes:
    """Appends a block with its trailer; returns its handle."""
    data = block.finished()
    handle = varint(len(out)) + varint(len(data))
    data += bytes([PLAIN])
    out += data + masked(crc32c(data)).to_bytes(4, "little")
    return handle
