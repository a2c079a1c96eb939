"""Rows for queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.ops.case import NUMBERS
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

EVERY = (*NUMBERS, "bool", "string")
OPS = (
    "FIFOQueueV2 QueueEnqueueV2 QueueEnqueueManyV2 QueueDequeueV2 QueueDequeueManyV2 "
    "QueueDequeueUpToV2 QueueCloseV2 QueueIsClosedV2 QueueSizeV2"
)


def _types(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements come out in the order in which they went in, over several steps."""
    queue = tf.queue.FIFOQueue(4, [v.element, tf.int32], shapes=[[3], []])
    enqueue = queue.enqueue([v.known(v.any(3)), v.known(7, np.int32)])
    many = queue.enqueue_many([v.known(v.any(2, 3)), v.known([8, 9], np.int32)])
    one, two, rest = queue.dequeue(), queue.dequeue_many(2), queue.dequeue_up_to(2)
    size, is_closed = queue.size(), queue.is_closed()
    yield infers(*one, *two, *rest, size, is_closed)
    yield run(enqueue)
    yield run(many)
    yield run(size)
    yield run(*one)
    yield run(enqueue)
    yield run(*two)
    yield run(*queue.dequeue_many(0))
    yield run(is_closed, size)
    yield run(queue.close())
    yield run(*rest, is_closed)
    yield fails("OutOfRangeError", r"requested 2, current size 0\)", *rest)
    yield fails("CancelledError", "is closed", enqueue)


def _shapeless(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements of any shape, scalars among them, and as many as there may be."""
    queue = tf.queue.FIFOQueue(-1, v.element)
    item = queue.dequeue()
    yield infers(item)
    for shape in ((), (2, 3), (0,)):
        yield run(queue.enqueue(v.fed(v.any(*shape))))
    yield run(queue.enqueue_many([v.fed(v.any(3))]))
    yield run(queue.enqueue_many([v.fed(v.any(2, 2))]))
    yield run(queue.size())
    for _ in range(8):
        yield run(item)


def _named(tf: Any, v: Inputs) -> Iterator[Step]:
    """Dictionaries as elements, and what building refuses."""
    queue = tf.FIFOQueue(3, ["float32", tf.int32], [[2], []], ["x", "y"], name="named")
    yield run(queue.enqueue({"y": 1, "x": [1.0, 2.0]}))
    item = queue.dequeue()
    yield run(item["x"], item["y"])
    other = tf.queue.FIFOQueue(3, tf.float32, shapes=[2])
    for build in (
        lambda: queue.enqueue([[1.0, 2.0], 1]),
        lambda: queue.enqueue({"x": [1.0, 2.0]}),
        lambda: queue.enqueue({"x": [1.0], "y": 1}),
        lambda: other.enqueue({"x": [1.0, 2.0]}),
        lambda: other.enqueue([1.0, 2.0, 3.0]),
        lambda: tf.FIFOQueue(3, tf.float32, names=["a", "b"]),
        lambda: tf.FIFOQueue(3, tf.float32, shapes=[[None]]),
        lambda: tf.FIFOQueue(3, tf.float32, shapes=[[2], [2]]),
        lambda: tf.FIFOQueue(3, tf.float32, shapes=3),
        lambda: tf.QueueBase.from_list(0, [1]),
        lambda: tf.QueueBase.from_list(0, [queue, other]),
    ):
        yield refused_alike(build)


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    queue = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
    raw, handle = tf.raw_ops, queue.queue_ref
    number, row = v.hidden(1, np.int32), v.hidden([1.0, 2.0], np.float32)
    shape = "InvalidArgumentError", r"Shape mismatch in tuple component "
    for values, text in (
        ([number, v.hidden([1.0], np.float32)], r"1. Expected \[2\], got \[1\]"),
        ([v.hidden([1], np.int32), row], r"0. Expected \[\], got \[1\]"),
    ):
        yield fails(shape[0], shape[1] + text, queue.enqueue(values))
    numbers = v.hidden([1, 2], np.int32)
    many = queue.enqueue_many([numbers, v.hidden([[1.0, 2.0]], np.float32)])
    yield fails(shape[0], shape[1] + r"1. Expected \[2,2\], got \[1,2\]", many)
    yield fails(shape[0], shape[1] + "0", queue.enqueue_many([number, row]))
    free = tf.FIFOQueue(9, [tf.int32, tf.int32])
    many = free.enqueue_many([numbers, v.hidden([1, 2, 3], np.int32)])
    yield fails(shape[0], "Component 1 has 3, and should have 2", many)
    yield fails(shape[0], "to have specified shapes", *free.dequeue_many(1))
    yield fails(
        shape[0],
        "Signature mismatch, have: resource->int32, int32 expected: resource->int32, float",
        *raw.QueueDequeueV2(handle=handle, component_types=[tf.int32, tf.int32]),
    )
    yield fails(
        shape[0],
        "have: resource, int32-> expected: resource, int32, float->",
        raw.QueueEnqueueV2(handle=handle, components=[number]),
    )
    yield fails(
        shape[0],
        "DequeueManyOp requested -1 < 0 elements",
        *queue.dequeue_many(v.hidden(-1, np.int32)),
    )
    late = raw.QueueDequeueV2(handle=free.queue_ref, component_types=[tf.int32] * 2, timeout_ms=9)
    yield fails(shape[0], "Timeout not supported yet", *late)


def _shared(tf: Any, v: Inputs) -> Iterator[Step]:
    """Nodes of one shared name have one queue, and must agree about it."""
    types, shapes, name = [tf.int32, tf.float32], [[], [2]], "rows_shared"
    first = tf.FIFOQueue(3, types, shapes, shared_name=name)
    second = tf.FIFOQueue(3, types, shapes, shared_name=name)
    yield run(first.enqueue([1, [1.0, 2.0]]))
    yield run(*second.dequeue())
    for wrong, text in (
        (tf.FIFOQueue(4, types, shapes, shared_name=name), "capacity 3 but .* was 4"),
        (tf.FIFOQueue(3, [tf.int32] * 2, shapes, shared_name=name), "types int32, float but"),
        (tf.FIFOQueue(3, types, [[], [3]], shared_name=name), r"shapes \[\[\], \[2\]\] but"),
        (tf.FIFOQueue(3, types, shared_name=name), r"component shapes were \[\]"),
    ):
        yield fails("InvalidArgumentError", text, wrong.size())


def _selected(tf: Any, v: Inputs) -> Iterator[Step]:
    """One of several queues, chosen by a tensor."""
    queues = [tf.FIFOQueue(9, tf.int32, [[]]), tf.FIFOQueue(9, tf.int32, [[]])]
    for number, queue in enumerate(queues):
        yield run(queue.enqueue(number + 5))
    chosen = tf.QueueBase.from_list(v.known(1, np.int32), queues)
    item = chosen.dequeue()
    yield infers(item)
    yield run(item)


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    nodes = old_nodes()
    kind = dtypes.as_dtype(v.name)
    nodes.add("FIFOQueue", "queue", component_types=[kind], shapes=[TensorShape([2])], capacity=9)
    for value in ("value", "values", "n"):
        nodes.add("Placeholder", value, dtype=dtypes.int32 if value == "n" else kind)
    nodes.add("QueueEnqueue", "enqueue", ["queue", "value"], Tcomponents=[kind])
    nodes.add("QueueEnqueueMany", "many", ["queue", "values"], Tcomponents=[kind])
    nodes.add("QueueDequeue", "dequeue", ["queue"], component_types=[kind])
    nodes.add("QueueDequeueMany", "two", ["queue", "n"], component_types=[kind])
    nodes.add("QueueDequeueUpTo", "rest", ["queue", "n"], component_types=[kind])
    nodes.add("QueueSize", "size", ["queue"])
    nodes.add("QueueIsClosed", "is_closed", ["queue"])
    nodes.add("QueueClose", "close", ["queue"])
    made = imported(
        tf,
        nodes,
        value=v.known(v.any(2)),
        values=v.known(v.any(4, 2)),
        n=v.known(2, np.int32),
    )
    yield run(made["enqueue"])
    yield run(made["many"])
    yield run(made["size"].outputs[0], made["is_closed"].outputs[0])
    yield run(made["dequeue"].outputs[0])
    yield run(made["two"].outputs[0])
    yield run(made["dequeue"].outputs[0])
    yield run(made["close"])
    yield run(made["rest"].outputs[0])
    yield fails("OutOfRangeError", "insufficient elements", made["rest"].outputs[0])


PROGRAMS = [
    Program(OPS, _types, EVERY),
    Program("FIFOQueueV2 QueueEnqueueV2 QueueEnqueueManyV2 QueueDequeueV2", _shapeless, EVERY),
    Program("FIFOQueueV2 QueueEnqueueV2 QueueDequeueV2", _named, ("float32",)),
    Program("FIFOQueueV2 QueueEnqueueV2 QueueEnqueueManyV2", _misused, ("float32",)),
    Program("FIFOQueueV2 QueueEnqueueV2 QueueDequeueV2", _shared, ("float32",)),
    Program("FIFOQueueV2 QueueEnqueueV2 QueueDequeueV2", _selected, ("float32",)),
    Program(
        "FIFOQueue QueueEnqueue QueueEnqueueMany QueueDequeue QueueDequeueMany QueueDequeueUpTo "
        "QueueClose QueueIsClosed QueueSize",
        _old,
        EVERY,
    ),
]
