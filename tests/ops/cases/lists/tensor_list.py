"""Rows for lists of tensors: what the ops make, what they refuse, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOAT32_64, NUMBERS
from tests.ops.conformance import flatten
from tests.ops.list_ops import Ops
from tests.ops.program import (
    Build,
    Inputs,
    Program,
    Step,
    fails_alike,
    refused_alike,
    run,
    slopes,
)

Act = Callable[[Ops], Any]

GOOD: dict[str, Act] = {
    "push and stack": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0, 4]))),
    "push static": lambda o: o.stack(o.push(o.empty([2]), [1.0, 2], [3.0, 4])),
    "push shapes that differ": lambda o: o.length(o.push(o.empty(), o.fed([1.0]), o.fed(2.0))),
    "stack nothing": lambda o: o.stack(o.empty([2, 3])),
    "stack nothing, asked": lambda o: o.stack(o.empty(), [2, 3]),
    "stack unset": lambda o: o.stack(o.reserve(2, [3])),
    "stack partly set": lambda o: o.stack(o.set(o.reserve(2), 1, o.fed([1.0, 2]))),
    "stack known size": lambda o: o.stack(
        o.set(o.reserve(2, [-1, 2]), 1, o.fed([[1.0, 2]])), size=2
    ),
    "many, filled": lambda o: o.stack(o.tf.fill(o.ints([2]), o.floats(1, 2))[1], o.scalar),
    "many, filled as a scalar": lambda o: o.stack(
        o.tf.fill(o.ints(np.zeros(0)), o.floats(1, 2)), o.scalar
    ),
    "many, none filled": lambda o: o.tf.shape(o.tf.fill(o.ints([2, 0]), o.floats(1))),
    "many, gathered": lambda o: o.stack(o.tf.gather(_lists(o), o.ints([3, 1]))[1], o.scalar),
    "many, one gathered": lambda o: o.stack(o.tf.gather(_lists(o), o.ints(1)), o.scalar),
    "many, gathered along": lambda o: o.stack(
        o.tf.gather(o.tf.reshape(_lists(o), [2, 2]), o.ints([1, 0]), axis=1)[1, 0], o.scalar
    ),
    "many, gathered by places": lambda o: o.stack(
        o.tf.gather_nd(o.tf.reshape(_lists(o), o.ints([2, 2])), o.ints([[1, 0]]))[0], o.scalar
    ),
    "many, partitioned": lambda o: o.stack(
        o.tf.dynamic_partition(_lists(o), o.ints([0, 1, 0, 1]), 2)[1][1], o.scalar
    ),
    "reshaped": lambda o: o.stack(
        o.tf.reshape(o.tf.reshape(o.floats(7, 8), o.ints([1])), o.ints(np.zeros(0))), o.scalar
    ),
    "unstack": lambda o: o.stack(o.unstack([[1.0, 2], [3, 4]], [2])),
    "unstack partly known": lambda o: o.stack(o.unstack([[1.0, 2], [3, 4]], [-1])),
    "unstack no rows": lambda o: o.length(o.unstack(o.fed(np.zeros((0, 3))))),
    "element shape unknown": lambda o: o.element_shape(o.empty()),
    "element shape of no tensors": lambda o: o.element_shape(o.unstack(o.fed(np.zeros((0, 3))))),
    "element shape": lambda o: o.element_shape(o.unstack([[1.0, 2]], [2])),
    "element shape partly": lambda o: o.element_shape(o.empty([2, -1])),
    "element shape scalar": lambda o: o.element_shape(o.empty(o.scalar)),
    "element shape int64": lambda o: o.element_shape(o.empty(o.ints([2, -1])), "int64"),
    "get": lambda o: o.get(o.unstack([[1.0, 2], [3, 4]], [2]), 1),
    "get with another shape": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, o.ints([3])),
    "get unset, asked": lambda o: o.get(o.reserve(2), 0, [2]),
    "get unset": lambda o: o.get(o.reserve(2, [3]), 0),
    "get unset, others known": lambda o: o.get(o.set(o.reserve(3, [-1]), 2, o.fed([1.0, 2])), 0),
    "get unset scalar": lambda o: o.get(o.reserve(3, o.scalar), 0),
    "get unset string": lambda o: o.tf.reshape(
        o.get(o.reserve(3, o.scalar, "string"), 0, dtype="string"), [1]
    ),
    "list in a list": lambda o: o.length(
        o.get(
            o.set(o.reserve(3, o.scalar, "variant"), 0, o.push(o.empty(), 1.0)), 0, dtype="variant"
        )
    ),
    "push a list": lambda o: o.length(o.push(o.empty(dtype="variant"), o.empty())),
    "set and grow": lambda o: o.stack(o.set(o.reserve(2, o.scalar), 4, 1.0, grows=True)),
    "pop": lambda o: o.pop(o.push(o.empty(), 1.0))[1],
    "pop rest": lambda o: o.stack(o.pop(o.push(o.empty(), 1.0, 2.0))[0]),
    "pop unset": lambda o: o.pop(o.reserve(2, [2]))[1],
    "pop unset, asked": lambda o: o.pop(o.reserve(2), [2])[1],
    "gather": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), [1, 0, 1]),
    "gather fed": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([1, 0])),
    "gather matrix": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([[1]])),
    "gather, others differ": lambda o: o.gather(
        o.push(o.empty(), o.fed(1.0), o.fed(2.0), o.fed([3.0, 4])), o.ints([1, 0])
    ),
    "gather none": lambda o: o.gather(o.unstack([[1.0, 2], [3, 4]], [2]), o.ints([])),
    "gather unset": lambda o: o.gather(o.reserve(2, [2]), o.ints([0])),
    "concat": lambda o: o.concat(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "concat nothing": lambda o: o.concat(o.empty(), [-1, 2]),
    "concat nothing known": lambda o: o.concat(o.empty([3, 2])),
    "concat unset": lambda o: o.concat(o.reserve(2, [3, 2])),
    "concat unset, sizes": lambda o: o.concat(o.reserve(2, [-1, 2]), sizes=[1, 2]),
    "concat partly set": lambda o: o.concat(
        o.set(o.reserve(2, [-1, 2]), 0, [[1.0, 2]]), sizes=[3, 2]
    ),
    "concat like the others": lambda o: o.concat(o.set(o.reserve(2, [-1]), 0, [1.0, 2])),
    "concat v1": lambda o: o.concat_v1(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "concat v1 nothing": lambda o: o.concat_v1(o.empty(), element_shape=[None, 2]),
    "split": lambda o: o.get(o.split(o.fed([1.0, 2, 3]), [1, 2]), 1),
    "split empty part": lambda o: o.get(o.split(o.fed([1.0, 2, 3]), [1, 0, 2]), 1),
    "split static": lambda o: o.element_shape(o.split([[1.0, 2, 3]], [1], [-1, 3])),
    "scatter": lambda o: o.stack(o.scatter([[1.0, 2], [3, 4]], [1, 0])),
    "scatter with holes": lambda o: o.stack(o.scatter_v2([[1.0, 2], [3, 4]], [0, 2], [2], 4)),
    "scatter nothing": lambda o: o.length(o.scatter_v2(o.fed(np.zeros((0, 2))), o.ints([]))),
    "scatter into": lambda o: o.stack(o.scatter_into(o.reserve(3, [2]), [[1.0, 2]], [1])),
    "scatter into and grow": lambda o: o.length(
        o.scatter_into(o.reserve(3, [2]), o.fed([[1.0, 2]]), o.ints([4]))
    ),
    "shrink": lambda o: o.stack(o.resize(o.floats(1, 2, 3), 2)),
    "grow": lambda o: o.stack(o.resize(o.floats(1, 2, 3), 4)),
    "join": lambda o: o.stack(o.join(o.floats(1, 2, 3), o.floats(4))),
    "push to several": lambda o: o.stack(
        o.push_batch(o.tf.stack([o.floats(1, 2), o.empty(o.scalar)]), o.fed([4.0, 5]))[0]
    ),
    "add": lambda o: o.stack(o.tf.add_n([o.floats(1, 2), o.floats(3, 4), o.floats(5, 6)])),
    "add unset": lambda o: o.stack(
        o.tf.add_n([o.set(o.reserve(2, o.scalar), 0, 5.0), o.floats(3, 4)])
    ),
    "add all unset": lambda o: o.stack(
        o.tf.add_n([o.reserve(2, o.scalar), o.reserve(2, o.scalar)])
    ),
    "zeros like": lambda o: o.stack(o.tf.zeros_like(o.floats(1, 2))),
    "zeros like unset": lambda o: o.stack(o.tf.zeros_like(o.set(o.reserve(2, o.scalar), 0, 5.0))),
    "strings": lambda o: o.stack(
        o.set(o.unstack(o.tf.constant(["a", "b"]), o.scalar), 0, "c"), dtype="string"
    ),
    "identity": lambda o: o.stack(o.tf.identity(o.push(o.empty(o.scalar), 1.0))),
}

BUILD_ERRORS: dict[str, Act] = {
    "push another type": lambda o: o.push(o.empty(dtype="int32"), 1.0),
    "push a list to floats": lambda o: o.push(o.empty(), o.empty()),
    "stack another type": lambda o: o.stack(o.push(o.empty(), 1.0), dtype="int32"),
    "stack another shape": lambda o: o.stack(o.empty([2]), [3]),
    "unstack another shape": lambda o: o.unstack([[1.0, 2], [3, 4]], [3]),
    "get another shape": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, [3]),
    "get another type": lambda o: o.get(o.unstack([[1.0, 2]], [2]), 0, dtype="int32"),
    "set another shape": lambda o: o.set(o.reserve(2, [2]), 0, [1.0, 2, 3]),
    "pop another type": lambda o: o.pop(o.push(o.empty(), 1.0), dtype="int32"),
    "shape of rank 2": lambda o: o.empty([[1]]),
    "gather another shape": lambda o: o.gather(o.unstack([[1.0, 2]], [2]), [0], [3]),
    "gather another type": lambda o: o.gather(o.unstack([[1.0, 2]], [2]), [0], dtype="int32"),
    "concat another type": lambda o: o.concat(o.push(o.empty(), 1.0), dtype="int32"),
    "concat another shape": lambda o: o.concat(o.push(o.empty([2]), [1.0, 2]), [3]),
    "scatter into another type": lambda o: o.scatter_into(
        o.reserve(3, [2], "int32"), o.fed([[1.0, 2]]), o.ints([0])
    ),
    "join another type": lambda o: o.join(o.floats(1), o.unstack([1], o.scalar)),
    "join as another type": lambda o: o.join(o.empty(), o.empty(), "int32"),
    "join another shape": lambda o: o.join(o.floats(1), o.unstack([[1.0]], [1])),
    "push one to several": lambda o: o.push_batch(o.floats(1, 2), 4.0),
    "push three to two": lambda o: o.push_batch(
        o.tf.stack([o.floats(1), o.floats(2)]), o.tf.constant([4.0, 5, 6])
    ),
    "no list": lambda o: o.length(o.fed(3.0)),
    "add another type": lambda o: o.tf.add_n([o.floats(1), o.unstack([1], o.scalar)]),
    "add another shape": lambda o: o.tf.add_n([o.floats(1), o.reserve(1, [2])]),
}

RUN_ERRORS: dict[str, Act] = {
    "push another shape": lambda o: o.length(o.push(o.empty([2]), o.fed([1.0, 2, 3]))),
    "push static shape": lambda o: o.length(o.push(o.empty([2]), [1.0, 2, 3])),
    "push too many": lambda o: o.length(o.push(o.empty(limit=1), 1.0, 2.0)),
    "stack nothing": lambda o: o.stack(o.empty()),
    "stack nothing, partly": lambda o: o.stack(o.empty(), o.ints([2, -1])),
    "stack another shape": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2])), o.ints([3])),
    "stack shapes that differ": lambda o: o.stack(o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0]))),
    "stack another size": lambda o: o.stack(o.push(o.empty(), 1.0), size=2),
    "stack unset": lambda o: o.stack(o.reserve(2)),
    "unstack another shape": lambda o: o.length(o.unstack(o.fed([[1.0, 2]]), o.ints([3]))),
    "unstack a scalar": lambda o: o.length(o.unstack(o.fed(1.0))),
    "get behind the end": lambda o: o.get(o.floats(1, 2), 2),
    "get before the start": lambda o: o.get(o.floats(1, 2), -1),
    "get unset": lambda o: o.get(o.reserve(2), 0),
    "get unset, partly": lambda o: o.get(o.reserve(2, [-1]), 0),
    "get unset, another shape": lambda o: o.get(o.reserve(2, [3]), 0, o.ints([2])),
    "reserve negative": lambda o: o.length(o.reserve(o.ints(-1))),
    "reserve a vector": lambda o: o.length(o.reserve(o.ints([2]))),
    "limit is a vector": lambda o: o.length(o.empty(limit=o.ints([1, 2]))),
    "shape of rank 2": lambda o: o.length(o.empty(o.ints([[1]]))),
    "scalar shape": lambda o: o.length(o.empty(o.ints(5))),
    "negative shape": lambda o: o.length(o.empty(o.ints([-2]))),
    "set behind the end": lambda o: o.length(o.set(o.reserve(2), 2, 1.0)),
    "set before the start": lambda o: o.length(o.set(o.reserve(2), -1, 1.0)),
    "set another type": lambda o: o.length(o.set(o.reserve(2), 0, 1)),
    "set another shape": lambda o: o.length(o.set(o.reserve(2, [2]), 0, o.fed([1.0]))),
    "pop from nothing": lambda o: o.pop(o.empty())[1],
    "pop unset": lambda o: o.pop(o.reserve(2))[1],
    "gather behind the end": lambda o: o.gather(o.floats(1, 2), o.ints([2])),
    "gather before the start": lambda o: o.gather(o.floats(1, 2), o.ints([-1])),
    "gather behind the end of unknown": lambda o: o.gather(o.push(o.empty(), [5.0]), o.ints([2])),
    "gather none of unknown": lambda o: o.gather(o.empty(), o.ints([])),
    "gather unset": lambda o: o.gather(o.reserve(2), o.ints([0])),
    "gather unset beside a set one": lambda o: o.gather(
        o.set(o.reserve(2), 1, [1.0, 2]), o.ints([0])
    ),
    "pop unset beside a set one": lambda o: o.pop(o.set(o.reserve(2), 0, [1.0, 2]))[1],
    "gather another shape": lambda o: o.gather(o.floats(1, 2), [0], o.ints([3])),
    "gather shapes that differ": lambda o: o.gather(
        o.push(o.empty(), o.fed([1.0, 2]), o.fed([3.0])), o.ints([0, 1])
    ),
    "concat rows that differ": lambda o: o.concat(
        o.push(o.empty(), o.fed([[1.0, 2]]), o.fed([[3.0]]))
    ),
    "concat scalars": lambda o: o.concat(o.push(o.empty(), o.fed(1.0))),
    "concat known scalars": lambda o: o.concat(o.empty(o.scalar)),
    "concat nothing": lambda o: o.concat(o.empty()),
    "concat unset": lambda o: o.concat(o.reserve(2, [-1, 2])),
    "concat unset, too few sizes": lambda o: o.concat(o.reserve(2, [-1, 2]), sizes=[1]),
    "concat another shape": lambda o: o.concat(o.push(o.empty([2]), o.fed([1.0, 2])), o.ints([3])),
    "concat all unset": lambda o: o.concat(o.reserve(2), sizes=[1, 2]),
    "split too little": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [1, 1])),
    "split too much": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [2, 2])),
    "split negative": lambda o: o.length(o.split(o.fed([1.0, 2, 3]), [-1, 4])),
    "split a scalar": lambda o: o.length(o.split(o.fed(1.0), [1])),
    "split by a matrix": lambda o: o.length(o.split(o.fed([1.0]), [[1]])),
    "split another shape": lambda o: o.length(o.split(o.fed([[1.0, 2]]), [1], o.ints([-1, 3]))),
    "scatter negative": lambda o: o.length(o.scatter(o.fed([[1.0], [2]]), o.ints([-1, 0]))),
    "scatter too many rows": lambda o: o.length(o.scatter(o.fed([[1.0], [2]]), o.ints([0]))),
    "scatter a scalar": lambda o: o.length(o.scatter(o.fed(1.0), o.ints([0]))),
    "scatter another shape": lambda o: o.length(
        o.scatter(o.fed([[1.0]]), o.ints([0]), o.ints([3]))
    ),
    "scatter behind the end": lambda o: o.length(
        o.scatter_v2(o.fed([[1.0], [2]]), o.ints([0, 3]), size=3)
    ),
    "scatter into -2": lambda o: o.length(o.scatter_v2(o.fed([[1.0]]), o.ints([0]), size=-2)),
    "scatter into, rows": lambda o: o.length(
        o.scatter_into(o.reserve(3), o.fed([[1.0]]), o.ints([0, 1]))
    ),
    "scatter into, matrix": lambda o: o.length(
        o.scatter_into(o.reserve(3), o.fed([[1.0]]), o.ints([[0]]))
    ),
    "resize negative": lambda o: o.length(o.resize(o.reserve(3), -1)),
    "resize by a vector": lambda o: o.length(o.resize(o.reserve(3), o.ints([1]))),
    "join unknown": lambda o: o.length(o.join(o.floats(1), o.empty())),
    "push to several, too many": lambda o: o.length(
        o.push_batch(o.tf.stack([o.floats(1), o.floats(2)]), o.fed([4.0, 5, 6]))[0]
    ),
    "push to several, shape": lambda o: o.length(
        o.push_batch(o.tf.stack([o.floats(1), o.empty([2])]), o.fed([4.0, 5]))[0]
    ),
    "add other lengths": lambda o: o.stack(o.tf.add_n([o.floats(1, 2), o.floats(3)])),
    "add other element shapes": lambda o: o.stack(
        o.tf.add_n([o.reserve(2, o.ints([2])), o.reserve(2, o.ints([3]))])
    ),
    "add other shapes": lambda o: o.stack(
        o.tf.add_n([o.set(o.reserve(2, [-1]), 0, [5.0]), o.set(o.reserve(2, [-1]), 0, [6.0, 7])])
    ),
}


def _both(o: Ops, popped: list[Any]) -> Any:
    return o.stack(popped[0]) * popped[1]


GRADIENTS: dict[str, tuple[Callable[[Ops, Any], Any], tuple[int, ...]]] = {
    "push and stack": (lambda o, x: o.stack(o.push(o.empty([2]), x, x * x)), (2,)),
    "push and pop": (lambda o, x: o.pop(o.push(o.empty([2]), x, x * x))[1], (2,)),
    "pop both": (lambda o, x: _both(o, o.pop(o.push(o.empty([2]), x, x * x))), (2,)),
    "unstack and stack": (lambda o, x: o.stack(o.unstack(x * x, [2]), [2], 3), (3, 2)),
    "unstack and get": (
        lambda o, x: o.get(o.unstack(x, [2]), 1) * o.get(o.unstack(x, [2]), 0),
        (3, 2),
    ),
    "set and stack": (lambda o, x: o.stack(o.set(o.unstack(x, [2]), 1, x[0] * x[2])), (3, 2)),
    "set, grow and stack": (
        lambda o, x: o.stack(o.set(o.unstack(x, [2]), 4, x[0] * x[2], grows=True)),
        (3, 2),
    ),
    "resize": (lambda o, x: o.stack(o.resize(o.unstack(x * x, [2]), 2)), (3, 2)),
    "gather": (lambda o, x: o.gather(o.unstack(x, [2]), [2, 0]), (3, 2)),
    "scatter": (lambda o, x: o.stack(o.scatter(x * x, [2, 0, 1], [2])), (3, 2)),
    "scatter v2": (lambda o, x: o.stack(o.scatter_v2(x * x, [2, 0, 3], [2], 5)), (3, 2)),
    "scatter into": (
        lambda o, x: o.stack(o.scatter_into(o.unstack(x, [2]), x[:2] * 3.0, [2, 0])),
        (3, 2),
    ),
    "concat": (lambda o, x: o.concat(o.unstack(x, [2]))[0], (3, 2)),
    "concat v1": (lambda o, x: o.concat_v1(o.unstack(x, [2]), element_shape=[2])[0], (3, 2)),
    "split": (lambda o, x: o.concat(o.split(x * x, [1, 2], [-1, 2]))[0], (3, 2)),
}


GROUPS = {
    "push": "TensorListPushBack TensorListPushBackBatch EmptyTensorList",
    "pop": "TensorListPopBack",
    "stack": "TensorListStack",
    "unstack": "TensorListFromTensor",
    "get": "TensorListGetItem",
    "set": "TensorListSetItem",
    "gather": "TensorListGather",
    "scatter": "TensorListScatter TensorListScatterV2 TensorListScatterIntoExistingList",
    "concat": "TensorListConcat TensorListConcatV2",
    "split": "TensorListSplit",
    "join": "TensorListConcatLists",
}
REST = "EmptyTensorList TensorListReserve TensorListLength TensorListElementShape TensorListResize"
"""The ops of the programs that begin with no word of `GROUPS`."""


def _lists(o: Ops) -> Any:
    return o.tf.stack([o.floats(1), o.floats(2, 3), o.floats(4), o.floats(5, 6)])


def _group(name: str) -> Build:
    def chosen(acts: dict[str, Act]) -> list[Act]:
        words = {key: key.replace(",", "").split()[0] for key in acts}
        return [
            acts[key] for key, word in words.items() if (word if word in GROUPS else "") == name
        ]

    def group(tf: Any, v: Inputs) -> Iterator[Step]:
        o = Ops(tf)
        results = [act(o) for act in chosen(GOOD)]
        yield run(*flatten(results))
        for act in chosen(BUILD_ERRORS):
            yield refused_alike(lambda act=act: act(o))
        for act in chosen(RUN_ERRORS):
            yield fails_alike(*flatten(act(o)))

    return group


def _slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    o = Ops(tf, v.name)
    for act, shape in GRADIENTS.values():
        x = v.known(v.any(*shape))
        yield slopes(tf, [act(o, x)], [x])


def _types(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements of every type, also those that were never set."""
    o = Ops(tf, v.name)
    rows, row = v.any(3, 2), v.any(2)
    handle = o.push(o.unstack(v.fed(rows), [2]), v.fed(row))
    holes = o.set(o.reserve(3, [2]), 1, v.fed(row))
    yield run(o.stack(handle), o.pop(handle)[1], o.gather(handle, [3, 0]), o.concat(handle)[0])
    yield run(o.stack(holes), o.length(holes), o.element_shape(holes))
    yield fails_alike(o.empty())


PROGRAMS = [
    *(Program(ops, _group(name), ("float32",)) for name, ops in {**GROUPS, "": REST}.items()),
    Program("EmptyTensorList TensorListReserve", _types, (*NUMBERS, "bool", "string")),
    Program(
        "TensorListPushBack TensorListPopBack TensorListStack TensorListFromTensor "
        "TensorListGetItem TensorListSetItem TensorListResize TensorListGather TensorListScatter "
        "TensorListScatterV2 TensorListScatterIntoExistingList TensorListConcat "
        "TensorListConcatV2 TensorListSplit",
        _slopes,
        FLOAT32_64,
        gradients=True,
    ),
]
