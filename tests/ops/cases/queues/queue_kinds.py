"""Rows for queues that are not first in, first out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.ops.case import NUMBERS
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

EVERY = (*NUMBERS, "bool", "string")
KINDS = ("RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue")


def _random(tf: Any, v: Inputs) -> Iterator[Step]:
    """The order is that of the seed, also over many steps; some elements are kept back."""
    queue = tf.queue.RandomShuffleQueue(1500, 3, [tf.int32, v.element], [[], [2]], seed=7)
    fill = queue.enqueue_many([v.known(np.arange(1203, dtype=np.int32)), v.known(v.any(1203, 2))])
    one, some, many = queue.dequeue(), queue.dequeue_many(17), queue.dequeue_many(1180)
    rest, size = queue.dequeue_up_to(9), queue.size()
    yield infers(*one, *some, *rest)
    yield run(fill)
    for fetches in (one, some, one, many):
        yield run(*fetches)
    yield run(one[0])
    yield run(size)
    yield run(queue.close())
    yield run(*rest)
    yield fails("OutOfRangeError", "RandomShuffleQueue .* is closed and has insufficient", *one)
    yield fails("CancelledError", "RandomShuffleQueue .* is closed", fill)


def _random_rules(tf: Any, v: Inputs) -> Iterator[Step]:
    tf.set_random_seed(3)
    make = partial(tf.RandomShuffleQueue, 20, shapes=[[]], dtypes=tf.int32)
    for shared in ("rows_random", None):
        queue = make(2, shared_name=shared)
        yield run(queue.enqueue_many([v.known(np.arange(20, dtype=np.int32))]))
        yield run(queue.dequeue_many(10))
        yield run(queue.dequeue())
    for kept, text in ((20, "must be < capacity 20"), (-1, "min_after_dequeue -1 must be >= 0")):
        yield fails("InvalidArgumentError", text, make(kept, seed=1).size())
    for wrong, text in (
        (make(3, shared_name="rows_random"), "has min_after_dequeue 2 but requested .* was 3"),
        (make(2, seed=9, shared_name="rows_random"), "random seeds .* but requested seeds are"),
        (
            tf.FIFOQueue(20, tf.int32, [[]], shared_name="rows_random"),
            "Expected RandomShuffleQueue, found FIFOQueueV2",
        ),
    ):
        yield fails("InvalidArgumentError", text, wrong.size())


def _padding(tf: Any, v: Inputs) -> Iterator[Step]:
    queue = tf.queue.PaddingFIFOQueue(9, [v.element, tf.int64], [[None, 2], []])
    two, rest = queue.dequeue_many(2), queue.dequeue_up_to(4)
    yield infers(*two, *rest, *queue.dequeue())
    for rows in (1, 3, 0, 2, 2):
        yield run(queue.enqueue([v.known(v.any(rows, 2)), v.known(rows, np.int64)]))
    many = [v.known(v.any(2, 4, 2)), v.known([1, 2], np.int64)]
    yield run(queue.enqueue_many(many))
    yield run(*two)
    yield run(*queue.dequeue())
    yield run(*queue.dequeue_many(0))
    yield run(*two)
    yield fails(
        "InvalidArgumentError",
        r"Shape mismatch in tuple component 0. Expected \[\?,2\], got \[3\]",
        queue.enqueue([v.hidden(v.any(3)), v.known(1, np.int64)]),
    )
    yield fails(
        "InvalidArgumentError",
        r"Shape mismatch in tuple component 0. Expected \[2,\?,2\], got \[2,3\]",
        queue.enqueue_many([v.hidden(v.any(2, 3)), v.known([1, 2], np.int64)]),
    )
    yield run(queue.close())
    yield run(*rest)
    for build in (
        lambda: tf.PaddingFIFOQueue(3, [tf.int32, tf.string], [[None]]),
        lambda: tf.PaddingFIFOQueue(3, [tf.int32], None),
        lambda: tf.PaddingFIFOQueue(3, tf.int32, [None]),
        lambda: queue.enqueue([v.known(v.any(3)), 1]),
        lambda: queue.dequeue_many(-1),
    ):
        yield refused_alike(build)


def _padding_shared(tf: Any, v: Inputs) -> Iterator[Step]:
    """Nodes may know more or less of the shapes than the one that has made the queue."""
    name = "padding shared"
    first, *others = (
        tf.PaddingFIFOQueue(9, [v.element, tf.int64], shapes, shared_name=name)
        for shapes in (
            [[None, 2], []],
            [[3, None], []],
            [[None, None], []],
            [[None, 3], []],
            [[None], []],
            [[None, 2]] * 2,
        )
    )
    yield run(first.size())
    for known in others[:2]:
        yield run(known.enqueue([v.known(v.any(3, 2)), v.known(1, np.int64)]))
    yield run(*first.dequeue_many(2))
    for unlike in others[2:]:
        yield fails("InvalidArgumentError", "but requested component shapes were", unlike.size())


def _priority(tf: Any, v: Inputs) -> Iterator[Step]:
    """Elements of one priority come in TensorFlow's order, too."""
    queue = tf.queue.PriorityQueue(200, [v.element, tf.int32], [[2], []])
    levels = np.random.default_rng(4).integers(0, 9, 60)
    fill = queue.enqueue_many(
        [v.known(levels), v.known(v.any(60, 2)), v.known(np.arange(60, dtype=np.int32))]
    )
    one, some, rest = queue.dequeue(), queue.dequeue_many(23), queue.dequeue_up_to(73)
    yield infers(*one, *some)
    yield run(fill)
    yield run(*one)
    yield run(*some)
    yield run(queue.enqueue([v.known(-3, np.int64), v.known(v.any(2)), 1]))
    yield run(*one)
    yield run(fill)
    yield run(*some)
    yield run(queue.close())
    yield run(*rest)
    wrong = v.hidden([1], np.int64), v.known(v.any(2)), 1
    yield fails(
        "InvalidArgumentError", r"tuple component 0. Expected \[\], got", queue.enqueue(wrong)
    )
    yield refused_alike(lambda: tf.PriorityQueue(3, tf.int32, [[None]]))


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    kind = dtypes.as_dtype(v.name)
    for op in KINDS:
        nodes = old_nodes()
        types = [kind] if op != "PriorityQueue" else [dtypes.int64, kind]
        nodes.add(op, "queue", component_types=[kind], shapes=[TensorShape([2])], capacity=9)
        nodes.add("Placeholder", "value", dtype=kind)
        nodes.add("Placeholder", "level", dtype=dtypes.int64)
        inputs = ["value"] if op != "PriorityQueue" else ["level", "value"]
        nodes.add("QueueEnqueue", "enqueue", ["queue", *inputs], Tcomponents=types)
        nodes.add("QueueDequeue", "dequeue", ["queue"], component_types=types)
        nodes.add("QueueSize", "size", ["queue"])
        made = imported(tf, nodes, value=v.known(v.any(2)), level=v.known(4, np.int64))
        yield run(made["enqueue"])
        yield run(made["size"].outputs[0])
        yield run(*made["dequeue"].outputs)


PROGRAMS = [
    Program("RandomShuffleQueueV2 QueueDequeueV2", _random, EVERY),
    Program("RandomShuffleQueueV2", _random_rules, ("float32",)),
    Program("PaddingFIFOQueueV2 QueueDequeueManyV2 QueueDequeueUpToV2", _padding, EVERY),
    Program("PaddingFIFOQueueV2", _padding_shared, ("float32",)),
    Program("PriorityQueueV2 QueueDequeueManyV2", _priority, EVERY),
    Program(f"{' '.join(KINDS)} QueueEnqueue QueueDequeue QueueSize", _old, EVERY),
]
