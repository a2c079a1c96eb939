"""Where a step with loops stands: which inputs have come in each iteration of each loop.

The rules are those of TensorFlow's executor (`core/common_runtime/propagator_state.cc`). One thread
at a time may use what is here.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import Any

from dataflow.actors.plan.tagged_layout import (
    DEAD_ONE,
    SHIFT,
    WAITING,
    Output,
    TaggedFrame,
    TaggedNode,
)
from dataflow.actors.step.dead import DEAD


class Iteration:
    """One iteration of a loop in a step."""

    __slots__ = ("children", "counts", "frame", "number", "outstanding", "values")

    def __init__(self, frame: LoopFrame, number: int) -> None:
        self.frame = frame
        self.number = number
        self.counts = frame.layout.counts.copy()
        self.values = frame.layout.values.copy()
        self.outstanding = 0
        """Nodes of it that are ready or running."""
        self.children: dict[TaggedFrame, LoopFrame] | None = None
        """Loops that were entered from it and have not ended."""

    @property
    def tag(self) -> str:
        """`<frame id>:<iteration>`, for the keys of edges."""
        return f"{self.frame.id}:{self.number}"


class LoopFrame:
    """A loop that was entered in a step."""

    __slots__ = (
        "_id",
        "active",
        "dead_exits",
        "deferred",
        "invariants",
        "iterations",
        "layout",
        "missing_enters",
        "newest",
        "parent",
    )

    def __init__(self, layout: TaggedFrame, parent: Iteration | None) -> None:
        self.layout = layout
        self.parent = parent
        """The iteration it was entered from; None for what is outside of all loops."""
        self._id: int | None = None
        self.iterations = {0: Iteration(self, 0)}
        """Those that have not ended."""
        self.newest = 0
        self.active = 1
        self.missing_enters = layout.num_enters
        self.deferred: list[tuple[TaggedNode, Any]] = []
        """Values for the next iteration, which waits until fewer iterations are active."""
        self.invariants: list[tuple[TaggedNode, Any]] = []
        """Values for all iterations."""
        self.dead_exits: list[TaggedNode] = []
        """Exits that are dead in the newest iteration."""

    @property
    def id(self) -> int:
        """A number for the loop and the iterations around it, the same on all devices."""
        if self._id is None:
            self._id = 0
            if self.parent is not None:
                text = f"{self.parent.tag};{self.layout.name}"
                digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
                self._id = int.from_bytes(digest, "little")
        return self._id


class Propagator:
    """Brings values to the nodes that use them, and finds those that are ready."""

    __slots__ = ("ready", "root")

    def __init__(self, root: TaggedFrame) -> None:
        self.ready: deque[tuple[TaggedNode, Iteration, bool]] = deque()
        """Nodes to run: in which iteration, and whether they are dead."""
        self.root = LoopFrame(root, None).iterations[0]
        """What is outside of all loops."""

    def start(self, node: TaggedNode) -> None:
        """Makes a node ready that waits for nothing."""
        self.ready.append((node, self.root, False))
        self.root.outstanding += 1

    def give(self, output: Output, value: Any) -> None:
        """Brings a value that is there from the start; nodes but Merges do not wait for it."""
        values = self.root.values
        plain, merges = output
        for _, _, where in plain:
            values[where] = value
        self.send(((), merges), self.root, value)

    def send(self, output: Output, it: Iteration, value: Any) -> None:
        """Brings a live value to the nodes that use it, which are in iteration `it`."""
        ready, counts, values = self.ready, it.counts, it.values
        before = len(ready)
        plain, merges = output
        for node, place, where in plain:
            values[where] = value
            if place < 0:
                ready.append((node, it, False))
                continue
            count = counts[place] = counts[place] - 1
            if not count:
                ready.append((node, it, False))
            elif not count & WAITING:
                ready.append((node, it, True))
        for node, place, where, index in merges:
            count = counts[place]
            # The lowest bit is there as long as no live value has come; others come too late.
            if count & 1:
                values[where] = value
                values[where + 1] = index
                counts[place] = count - 1
                if count & WAITING == 1:
                    ready.append((node, it, False))
        it.outstanding += len(ready) - before

    def send_dead(self, output: Output, it: Iteration, from_enter: bool = False) -> None:
        """Tells the nodes in iteration `it` that use an output that it is dead."""
        ready, counts = self.ready, it.counts
        before = len(ready)
        plain, merges = output
        for node, place, _ in plain:
            if place < 0:
                ready.append((node, it, True))
                continue
            count = counts[place] = counts[place] + (DEAD_ONE - 1)
            if not count & WAITING:
                ready.append((node, it, True))
        for node, place, _, _ in merges:
            # Once a value does not enter the loop, none comes back to its start either.
            count = counts[place] + DEAD_ONE * (node.num_inputs if from_enter else 1)
            if count & WAITING == 1 and count >> SHIFT >= node.num_inputs:
                count -= 1
                ready.append((node, it, True))
            counts[place] = count
        it.outstanding += len(ready) - before

    def send_order(self, node: TaggedNode, it: Iteration, dead: bool) -> None:
        """Tells the nodes in iteration `it` that wait for a node that it is done."""
        ready, counts = self.ready, it.counts
        before = len(ready)
        for other, place in node.controls:
            if place < 0:
                ready.append((other, it, dead))
                continue
            count = counts[place] = counts[place] + (DEAD_ONE - 1 if dead else -1)
            if not count & WAITING:
                ready.append((other, it, count > 0))
        for other, place in node.control_merges:
            count = counts[place] - 2
            waiting = count & WAITING
            if not waiting:
                ready.append((other, it, False))
            elif waiting == 1 and count >> SHIFT >= other.num_inputs:
                count -= 1
                ready.append((other, it, True))
            counts[place] = count
        it.outstanding += len(ready) - before

    def finish(self, it: Iteration) -> None:
        """Takes note that a node of iteration `it` is done."""
        it.outstanding -= 1
        if not it.outstanding:
            self.settle(it)

    def settle(self, it: Iteration) -> None:
        """Ends an iteration without outstanding nodes, and its loop, if nothing can come."""
        if it.frame.parent is not None:
            self._clean(it.frame, it.number)

    def kill(self, node: TaggedNode, it: Iteration) -> None:
        """Hands on that a node is dead."""
        for output in node.outputs:
            self.send_dead(output, it)
        self.send_order(node, it, True)

    def enter(self, node: TaggedNode, it: Iteration, value: Any) -> None:
        """Brings the value of an Enter, or DEAD, into its loop."""
        layout = node.child
        assert layout is not None
        if it.children is None:
            it.children = {}
        frame = it.children.get(layout)
        if frame is None:
            frame = it.children[layout] = LoopFrame(layout, it)
        if node.is_invariant:
            frame.invariants.append((node, value))
            for iteration in frame.iterations.values():
                self._pass(node, iteration, value)
        else:
            self._pass(node, frame.iterations[0], value)
        frame.missing_enters -= 1
        if not frame.missing_enters:
            self._clean(frame, 0)

    def leave(self, node: TaggedNode, it: Iteration, value: Any) -> None:
        """Brings the value of an Exit, or DEAD, out of its loop."""
        frame = it.frame
        if value is DEAD:
            # Dead in every iteration but the last; only if it is dead there too, all is.
            if it.number == frame.newest:
                frame.dead_exits.append(node)
        elif frame.parent is not None:
            self._pass(node, frame.parent, value)

    def advance(self, node: TaggedNode, it: Iteration, value: Any) -> None:
        """Brings the live value of a NextIteration into the next iteration."""
        frame, number = it.frame, it.number
        if number < frame.newest:
            self._pass(node, frame.iterations[number + 1], value)
        elif frame.active == frame.layout.limit:
            frame.deferred.append((node, value))
        else:
            self._pass(node, self._open(frame), value)

    def _pass(self, node: TaggedNode, it: Iteration, value: Any) -> None:
        (output,) = node.outputs
        if value is DEAD:
            self.send_dead(output, it, from_enter=node.child is not None)
            self.send_order(node, it, True)
        else:
            self.send(output, it, value)
            self.send_order(node, it, False)

    def _open(self, frame: LoopFrame) -> Iteration:
        """Starts the next iteration."""
        frame.newest += 1
        frame.active += 1
        it = frame.iterations[frame.newest] = Iteration(frame, frame.newest)
        frame.dead_exits.clear()
        deferred, frame.deferred = frame.deferred, []
        for node, value in deferred:
            self._pass(node, it, value)
        for node, value in frame.invariants:
            self._pass(node, it, value)
        return it

    def _clean(self, frame: LoopFrame, number: int) -> None:
        """Ends iterations from `number` on that nothing can come to any more, then the loop."""
        iterations = frame.iterations
        while number <= frame.newest:
            it = iterations.get(number)
            if it is None or it.outstanding or it.children:
                break
            if frame.missing_enters if not number else number - 1 in iterations:
                break
            del iterations[number]
            frame.active -= 1
            number += 1
            if frame.deferred:
                self._open(frame)
        if not frame.active and not frame.missing_enters:
            self._end(frame)

    def _end(self, frame: LoopFrame) -> None:
        """Ends a loop: what it never gave is dead."""
        it = frame.parent
        assert it is not None and it.children is not None
        for node in frame.dead_exits:
            self._pass(node, it, DEAD)
        del it.children[frame.layout]
        if not it.outstanding and not it.children:
            self.settle(it)

    def drop(self) -> None:
        """Forgets all values, also those of loops that an error has left behind."""
        self.ready.clear()
        frames = [self.root.frame]
        while frames:
            frame = frames.pop()
            for it in frame.iterations.values():
                frames += (it.children or {}).values()
                it.children = None
                it.values.clear()
            frame.iterations.clear()
            frame.deferred.clear()
            frame.invariants.clear()
