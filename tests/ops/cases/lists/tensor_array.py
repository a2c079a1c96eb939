"""Rows for tensor arrays: ops one after the other on one array, good and bad."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, NUMBERS
from tests.ops.conformance import flatten
from tests.ops.program import Build, Inputs, Program, Step, fails_alike, run, slopes

Action = Callable[["Array"], Any]


class Array:
    """An array in one library, whose ops run one after the other."""

    def __init__(self, library: Any, size: Any = 3, dtype: str = "float32", **attrs: Any) -> None:
        self.tf = library
        self.raw = library.raw_ops
        attrs.setdefault("tensor_array_name", "array")
        self.handle, self.flow = self.raw.TensorArrayV3(
            size=self.value(size), dtype=getattr(library, dtype), **attrs
        )

    def value(self, value: Any) -> Any:
        """An array becomes an input of unknown shape, for steps that fail and not the building."""
        if isinstance(value, np.ndarray):
            return self.tf.placeholder_with_default(value, None)
        return value

    def run(self, actions: Sequence[Action]) -> Any:
        """What the last of several ops gives."""
        last: Any = self.flow
        for action in actions:
            with self.tf.control_dependencies([last]):
                last = action(self)
        return last

    def of_gradients(self, source: str = "mine") -> Array:
        """The array of the gradients of this one."""
        array = object.__new__(Array)
        array.tf, array.raw = self.tf, self.raw
        array.handle, array.flow = self.raw.TensorArrayGradV3(
            handle=self.handle, flow_in=self.flow, source=source
        )
        return array


def floats(value: Any) -> np.ndarray:
    return np.array(value, np.float32)


def ints(value: Any) -> np.ndarray:
    return np.array(value, np.int32)


def write(index: Any, value: Any) -> Action:
    return lambda a: a.raw.TensorArrayWriteV3(
        handle=a.handle, index=a.value(index), value=a.value(value), flow_in=a.flow
    )


def read(index: Any, dtype: str = "float32") -> Action:
    return lambda a: a.raw.TensorArrayReadV3(
        handle=a.handle, index=a.value(index), flow_in=a.flow, dtype=getattr(a.tf, dtype)
    )


def gather(indices: Any, dtype: str = "float32", **attrs: Any) -> Action:
    return lambda a: a.raw.TensorArrayGatherV3(
        handle=a.handle,
        indices=a.value(indices),
        flow_in=a.flow,
        dtype=getattr(a.tf, dtype),
        **attrs,
    )


def scatter(indices: Any, value: Any) -> Action:
    return lambda a: a.raw.TensorArrayScatterV3(
        handle=a.handle, indices=a.value(indices), value=a.value(value), flow_in=a.flow
    )


def concat(dtype: str = "float32", **attrs: Any) -> Action:
    return lambda a: (
        a.raw.TensorArrayConcatV3(
            handle=a.handle, flow_in=a.flow, dtype=getattr(a.tf, dtype), **attrs
        ).value
    )


def split(value: Any, lengths: Any) -> Action:
    return lambda a: a.raw.TensorArraySplitV3(
        handle=a.handle,
        value=a.value(value),
        lengths=a.value(np.array(lengths, np.int64)),
        flow_in=a.flow,
    )


def size(a: Array) -> Any:
    return a.raw.TensorArraySizeV3(handle=a.handle, flow_in=a.flow)


def close(a: Array) -> Any:
    return a.raw.TensorArrayCloseV3(handle=a.handle)


def slope(a: Array) -> Any:
    return a.of_gradients().flow


def shaped_slope(shape: Any, *actions: Action) -> Action:
    """Does something to an array of gradients with additional outer dimensions."""

    def act(a: Array) -> Any:
        array = object.__new__(Array)
        array.tf, array.raw = a.tf, a.raw
        array.handle, array.flow = a.raw.TensorArrayGradWithShape(
            handle=a.handle, flow_in=a.flow, shape_to_prepend=shape, source="mine"
        )
        return array.run(actions)

    return act


def on_slopes(*actions: Action) -> Action:
    """Does something to the array of gradients."""
    return lambda a: a.of_gradients().run(actions)


Steps = tuple[list[Action], dict[str, Any]]


def steps(*actions: Action, **options: Any) -> Steps:
    return list(actions), options


GOOD: dict[str, Steps] = {
    "write grows": steps(write(7, 1.0), size, dynamic_size=True),
    "scatter grows": steps(scatter([7], floats([1.0])), size, dynamic_size=True),
    "split grows": steps(split(floats([1, 2, 3, 4]), [1, 1, 1, 1]), size, dynamic_size=True),
    "scatter nothing": steps(scatter(ints([]), floats(np.zeros((0, 2)))), size),
    "read twice": steps(write(0, 1.0), read(0), read(0), clear_after_read=False),
    "read unset": steps(read(0), element_shape=[2]),
    "read unset scalar": steps(read(0), element_shape=[]),
    "gather twice": steps(write(1, 2.0), gather([1, 1]), clear_after_read=False),
    "gather none": steps(gather(ints([]), element_shape=[2])),
    "gather unset": steps(write(0, 1.0), gather([0, 1]), element_shape=[]),
    "concat none": steps(concat(element_shape_except0=[2]), size=0),
    "split partly known": steps(
        split(floats([[1], [2], [3]]), [1, 1, 1]), read(0), element_shape=[None, 1]
    ),
    "sum": steps(on_slopes(write(0, 1.0), write(0, 2.0), read(0))),
    "sum of vectors": steps(
        on_slopes(write(0, [1.0, 2]), write(0, [2.0, 3]), write(0, [4.0, 5]), read(0))
    ),
    "sum of integers": steps(on_slopes(write(0, 1), write(0, 2), read(0, "int32")), dtype="int32"),
    "sum of nothing": steps(on_slopes(write(0, floats([])), write(0, floats([])), read(0))),
    "slope of written": steps(write(0, [1.0, 2]), on_slopes(read(0))),
    "slope of written scalar": steps(write(0, 1.0), on_slopes(read(0))),
    "slope of read": steps(write(0, [1.0, 2]), read(0), on_slopes(read(0))),
    "slope behind the end": steps(on_slopes(read(5), size), element_shape=[2]),
    "slope's size": steps(on_slopes(size)),
    "slope's concat": steps(
        split(floats([1, 2, 3]), [1, 1, 1]),
        on_slopes(write(0, [1.0]), write(1, [2.0]), write(2, [3.0]), concat()),
    ),
    "one slope twice": steps(on_slopes(write(0, 1.0)), on_slopes(read(0))),
    "shaped slope": steps(write(0, [1.0, 2]), shaped_slope([3], read(0))),
    "shaped slope of unset": steps(shaped_slope([3, 1], read(1)), element_shape=[2]),
}

BAD: dict[str, Steps] = {
    "size": steps(size, size=-1),
    "size is a vector": steps(size, size=ints([1, 2])),
    "write behind the end": steps(write(3, 1.0)),
    "write before the start": steps(write(-1, 1.0)),
    "write before the start, dynamic": steps(write(-1, 1.0), dynamic_size=True),
    "write another type": steps(write(0, 1)),
    "write another shape": steps(write(0, floats([1, 2])), element_shape=[3]),
    "write another rank": steps(write(0, floats([1, 2])), element_shape=[3, None]),
    "write shapes that differ": steps(
        write(0, floats([1, 2])), write(1, floats([1])), identical_element_shapes=True
    ),
    "write to a vector": steps(write(ints([1, 2]), 1.0)),
    "write twice": steps(write(0, 1.0), write(0, 2.0)),
    "write what was read": steps(write(0, 1.0), read(0), write(0, 2.0)),
    "write what was read and kept": steps(
        write(0, 1.0), read(0), write(0, 2.0), clear_after_read=False
    ),
    "write what was read as zeros": steps(
        read(0), write(0, [1.0, 2]), element_shape=[2], clear_after_read=False
    ),
    "read twice": steps(write(0, 1.0), read(0), read(0)),
    "read zeros twice": steps(read(0), read(0), element_shape=[2]),
    "read unset": steps(read(0)),
    "read unset, partly known": steps(read(0), element_shape=[None, 2]),
    "read behind the end": steps(read(3)),
    "read before the start": steps(read(-1)),
    "read behind the end, dynamic": steps(read(3), dynamic_size=True),
    "read another type": steps(write(0, 1.0), read(0, "int32")),
    "read from a vector": steps(read(ints([1, 2]))),
    "gather twice": steps(write(1, 2.0), gather([1, 1])),
    "gather another type": steps(gather([0], "int32")),
    "gather another shape": steps(write(0, 1.0), gather([0], element_shape=[2])),
    "gather a contradiction": steps(gather([0], element_shape=[2]), element_shape=[3]),
    "gather decides the shape": steps(
        write(0, [1.0, 2]), gather([0], element_shape=[2]), write(1, floats([2, 3, 3]))
    ),
    "gather none": steps(gather(ints([]))),
    "gather none, array knows": steps(gather(ints([])), element_shape=[2]),
    "gather shapes that differ": steps(write(0, [1.0]), write(1, [1.0, 2]), gather([0, 1])),
    "gather by a matrix": steps(gather(ints([[1]]))),
    "gather behind the end": steps(write(0, 1.0), gather([0, 5])),
    "gather unset": steps(write(0, 1.0), gather([0, 1])),
    "scatter too few": steps(scatter(ints([0]), floats([[1, 2], [3, 4]]))),
    "scatter behind the end": steps(scatter([3], floats([1]))),
    "scatter before the start": steps(scatter([-1], floats([1]))),
    "scatter a scalar": steps(scatter(ints([0]), floats(1))),
    "scatter by a matrix": steps(scatter(ints([[0]]), floats([1]))),
    "scatter another type": steps(scatter([0], ints([1]))),
    "scatter twice": steps(scatter([0, 0], floats([1, 2]))),
    "scatter another shape": steps(scatter([0], floats([1])), element_shape=[2]),
    "concat scalars": steps(write(0, 1.0), write(1, 1.0), write(2, 1.0), concat()),
    "concat shapes that differ": steps(
        write(0, [[1.0]]), write(1, [[1.0, 2]]), write(2, [[1.0, 2]]), concat()
    ),
    "concat unset": steps(write(0, [1.0]), concat()),
    "concat none": steps(concat(), size=0),
    "concat another shape": steps(write(0, [[1.0]]), concat(element_shape_except0=[2]), size=1),
    "concat another type": steps(write(0, [1.0]), concat("int32")),
    "concat twice": steps(write(0, [1.0]), concat(), concat(), size=1),
    "split too little": steps(split(floats([1, 2, 3]), [1, 0, 1])),
    "split into fewer": steps(split(floats([1, 2, 3]), [1, 2])),
    "split into fewer, dynamic": steps(split(floats([1, 2, 3]), [1, 2]), dynamic_size=True),
    "split a scalar": steps(split(floats(1), [1])),
    "split by a matrix": steps(split(floats([1]), [[1]])),
    "split another type": steps(split(ints([1]), [1, 0, 0])),
    "split another shape": steps(
        split(floats([[1], [2], [3]]), [1, 1, 1]), element_shape=[None, 2]
    ),
    "read from a closed one": steps(write(0, 1.0), close, read(0)),
    "write to a closed one": steps(close, write(0, 1.0)),
    "size of a closed one": steps(close, size),
    "gather from a closed one": steps(close, gather([0])),
    "concat a closed one": steps(close, concat()),
    "scatter to a closed one": steps(close, scatter([0], floats([1]))),
    "split into a closed one": steps(close, split(floats([1, 2, 3]), [1, 1, 1])),
    "slope of a closed one": steps(close, slope),
    "sum of shapes that differ": steps(on_slopes(write(0, 1.0), write(0, [2.0]))),
    "sum of strings": steps(on_slopes(write(0, "a"), write(0, "b")), dtype="string"),
    "sum of booleans": steps(on_slopes(write(0, True), write(0, True)), dtype="bool"),
    "slope of unset": steps(on_slopes(read(0))),
    "slope of a string": steps(write(0, ["a"]), on_slopes(read(0, "string")), dtype="string"),
    "slope read twice": steps(on_slopes(write(0, 1.0), read(0), read(0))),
    "slope written after reading": steps(on_slopes(write(0, 1.0), read(0), write(0, 1.0))),
    "slope behind the end": steps(on_slopes(write(5, 1.0)), dynamic_size=True),
    "write after the slope": steps(slope, write(5, 1.0), dynamic_size=True),
    "slope of a slope": steps(on_slopes(slope)),
    "shaped slope of unset": steps(write(0, [1.0, 2]), shaped_slope([3], read(1))),
}


GROUPS = {
    "write": "TensorArrayWriteV3",
    "read": "TensorArrayReadV3 TensorArrayCloseV3",
    "gather": "TensorArrayGatherV3",
    "scatter": "TensorArrayScatterV3",
    "concat": "TensorArrayConcatV3",
    "split": "TensorArraySplitV3",
    "slope": "TensorArrayGradV3",
    "shaped": "TensorArrayGradWithShape",
}
REST = "TensorArrayV3 TensorArraySizeV3 TensorArrayGradV3 TensorArrayCloseV3"
"""The ops of the programs that begin with no word of `GROUPS`."""


def _group(name: str) -> Build:
    def chosen(all_steps: dict[str, Steps]) -> list[Steps]:
        words = {key: key.replace("'s", "").split()[0] for key in all_steps}
        return [
            all_steps[key]
            for key, word in words.items()
            if (word if word in GROUPS else "") == name
        ]

    def group(tf: Any, v: Inputs) -> Iterator[Step]:
        good = [Array(tf, **options).run(actions) for actions, options in chosen(GOOD)]
        if good:
            yield run(*flatten(good))
        for actions, options in chosen(BAD):
            yield fails_alike(Array(tf, **options).run(actions))
        if name == "read":
            yield run(Array(tf).run([close, close]))

    return group


def _types(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements of every type, each op of the library's own class."""

    def array(size: int, **options: Any) -> Any:
        return tf.TensorArray(v.element, size, clear_after_read=False, **options)

    rows = v.fed(v.any(3, 2))
    whole, some = array(3).unstack(rows), array(4).scatter([3, 0, 1], rows)
    parts = array(3, infer_shape=False).split(rows, [1, 0, 2])
    written = array(2, dynamic_size=True).write(3, v.fed(v.any(2)))
    yield run(whole.stack(), whole.read(1), some.gather([1, 3, 3]), parts.concat(), written.size())
    yield run(whole.concat(), whole.gather([2, 0]), written.read(3))
    empty = array(2).unstack(v.fed(v.any(2, 0, 3)))
    yield run(empty.stack(), empty.read(0), empty.concat())


def _slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    def array(size: int) -> Any:
        return tf.TensorArray(v.element, size, clear_after_read=False, infer_shape=False)

    x, y = v.known(v.any(3, 2)), v.known(v.any(2))
    whole = array(3).unstack(x * x)
    yield slopes(tf, [whole.stack(), whole.read(1), whole.gather([2, 0])], [x])
    yield slopes(tf, [array(4).scatter([3, 0, 1], x).gather([1, 3, 0])], [x])
    yield slopes(tf, [array(2).write(0, y).write(1, y * y).concat()], [y])
    yield slopes(tf, [array(3).split(x, [1, 0, 2]).concat(), array(2).write(1, y).read(1)], [x, y])


PROGRAMS = [
    *(Program(ops, _group(name), ("float32",)) for name, ops in {**GROUPS, "": REST}.items()),
    Program("TensorArrayV3 TensorArraySizeV3", _types, (*NUMBERS, "bool", "string"), label="types"),
    Program(
        "TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3 TensorArrayScatterV3 "
        "TensorArrayConcatV3 TensorArraySplitV3",
        _slopes,
        FLOAT32_64,
        gradients=True,
    ),
]
