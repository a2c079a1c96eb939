"""Rows for the tensor arrays of old graphs, whose handles are strings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dataflow.values import dtypes
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import (
    Build,
    Inputs,
    Program,
    Step,
    fails,
    fails_alike,
    infers,
    run,
    slopes_refused,
)

FLOAT = dtypes.float32
VERSIONS = ("", "V2")


class Arrays:
    """A GraphDef with a tensor array, its ops of one version."""

    def __init__(self, version: str, v: Inputs) -> None:
        self.nodes = old_nodes()
        self._version = version
        rows = v.any(3, 2)
        for name, value in {
            "size": np.int32(3),
            "two": np.int32(2),
            "flow": np.float32(0),
            "all": np.arange(3, dtype=np.int32),
            "lengths": np.array([1, 0, 2], np.int64),
            "rows": rows,
            "row": rows[1],
            "other": np.array([b"_tensor_arrays", b"nothing"], object),
        }.items():
            self.nodes.const(name, value)

    def array(self, name: str, **attrs: Any) -> None:
        """A new array."""
        self.nodes.add(f"TensorArray{self._version}", name, ["size"], dtype=FLOAT, **attrs)

    def on(self, array: str, name: str, op: str, *inputs: str, **attrs: Any) -> None:
        """An op on an array."""
        kind = "dtype" if op in ("Read", "Gather", "Concat", "Pack") else "T"
        if op not in ("Size", "Close", "Grad"):
            attrs[kind] = FLOAT
        self.nodes.add(f"TensorArray{op}{self._version}", name, [array, *inputs], **attrs)


def _used(version: str) -> Build:
    def used(tf: Any, v: Inputs) -> Iterator[Step]:
        arrays = Arrays(version, v)
        for name in ("a", "b", "c", "d"):
            arrays.array(name, clear_after_read=name == "a")
        on = arrays.on
        on("a", "write", "Write", "two", "row", "flow")
        on("a", "read", "Read", "two", "write")
        on("a", "count", "Size", "write")
        on("a", "close", "Close", "^read", "^count")
        on("b", "scatter", "Scatter", "all", "rows", "flow")
        on("b", "gather", "Gather", "all", "scatter")
        on("c", "split", "Split", "rows", "lengths", "flow")
        on("c", "concat", "Concat", "split")
        on("d", "forward", "Write", "two", "row", "flow")
        on("d", "slopes", "Grad", "forward", source=b"g")
        on("slopes", "first", "Write", "two", "row", "forward")
        on("slopes", "second", "Write", "two", "row", "first")
        on("slopes", "sum", "Read", "two", "second")
        on("a", "again", "Write", "two", "row", "write")
        if version:
            on("other", "lost", "Read", "two", "flow")
        made = imported(tf, arrays.nodes)
        yield _shown(made)
        for _ in range(2):
            yield run(*_values(made, "read", "count", "gather", "concat", "sum"), made["close"])
        yield fails_alike(made["again"].outputs[0])
        if version:
            yield fails("NotFoundError", "does not exist", made["lost"].outputs[0])

    return used


def _slopes(version: str) -> Build:
    def slopes(tf: Any, v: Inputs) -> Iterator[Step]:
        """The gradients' arrays are new ones, and their ops do not take names for handles."""
        arrays = Arrays(version, v)
        on = arrays.on
        for name in ("a", "b", "c"):
            arrays.array(name, clear_after_read=False)
        for name in ("x", "y"):
            arrays.nodes.placeholder(name)
        on("a", "write", "Write", "two", "y", "flow")
        on("a", "read", "Read", "two", "write")
        on("b", "scatter", "Scatter", "all", "x", "flow")
        on("b", "gather", "Gather", "all", "scatter")
        on("c", "split", "Split", "x", "lengths", "flow")
        on("c", "concat", "Concat", "split")
        x, y = v.known(v.any(3, 2)), v.known(v.any(2))
        made = imported(tf, arrays.nodes, x=x, y=y)
        for name in ("read", "gather", "concat"):
            text = "Input 'handle' of 'TensorArrayGradV3' Op has type string"
            yield slopes_refused(tf, "TypeError", text, [made[name].outputs[0]], [x, y])

    return slopes


def _packed(tf: Any, v: Inputs) -> Iterator[Step]:
    """What there was before Scatter and Gather."""
    arrays = Arrays("", v)
    on = arrays.on
    for name in ("a", "b", "c"):
        arrays.array(name, clear_after_read=False)
    on("a", "unpack", "Unpack", "rows", "flow")
    on("a", "pack", "Pack", "unpack")
    on("b", "forward", "Unpack", "rows", "flow")
    on("b", "slopes", "Grad", "forward", source=b"g")
    on("slopes", "write", "Write", "two", "row", "forward")
    on("slopes", "sum", "Pack", "write")
    on("c", "wrong", "Unpack", "row", "flow")
    made = imported(tf, arrays.nodes)
    yield _shown(made)
    yield run(*_values(made, "pack", "sum"))
    yield fails_alike(made["wrong"].outputs[0])


def _values(made: Mapping[str, Any], *names: str) -> list[Any]:
    return [tensor for name in names for tensor in made[name].outputs]


def _shown(made: Mapping[str, Any]) -> Step:
    return infers(*(tensor for operation in made.values() for tensor in operation.outputs))


OPS = ("", "Write", "Read", "Gather", "Scatter", "Concat", "Split", "Size", "Close", "Grad")
PROGRAMS = [
    *(
        Program(" ".join(f"TensorArray{op}{version}" for op in OPS), _used(version), ("float32",))
        for version in VERSIONS
    ),
    *(
        Program(
            " ".join(f"TensorArray{op}{version}" for op in OPS[1:7]),
            _slopes(version),
            ("float32",),
            gradients=True,
        )
        for version in VERSIONS
    ),
    Program("TensorArrayPack TensorArrayUnpack", _packed, ("float32",)),
]
