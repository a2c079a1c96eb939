"""Lets a product finish its results itself, in place of the nodes that follow.

Those are a bias and one elementwise function: a pass over the results each, that are in the cache
when they have just been computed. Whether a node goes with the one before it is seen from the plan
alone; the values are those that the nodes give one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dataflow.actors.fusion.merged_nodes import Arrangement, Rewritten, adapted
from dataflow.actors.nodes.binding import ENDS, CallKind
from dataflow.actors.nodes.loop_node import slots_read
from dataflow.actors.nodes.plan_node import Lines, PlanNode
from dataflow.kernels.elementwise.parted import of_part
from dataflow.kernels.products.epilogue import Finish, Finishing, Rectifier

_BIASES: Final = ("BiasAdd", "BiasAddV1", "Add", "AddV2")


class FinishedNode(Rewritten):
    """A product with what finishes its results, as one node."""

    __slots__ = ("_adapters", "_finish")

    def __init__(self, nodes: Sequence[PlanNode], lines: Lines) -> None:
        """Puts nodes together: the kernel, the bias, and an elementwise node or none."""
        kernel, bias, *others = nodes
        inputs = (*kernel.inputs, bias.inputs[1])
        super().__init__(nodes, inputs, nodes[-1].outputs, lines, timed=nodes)
        self._adapters = (*kernel.adapters, bias.adapters[1])
        self._finish = _in_place(others[0]) if others else None

    def together(self, *values: Any) -> Any:
        """Runs the kernel on the values of its inputs and that of the bias."""
        call: Any = self.nodes[0].call
        *inputs, bias = adapted(values, self._adapters)
        return call.finished(inputs, bias, self._finish)


def finish_results(arranged: Arrangement) -> Arrangement:
    """Puts one node in the place of each kernel that can finish its results, and what follows."""
    nodes, followers = arranged.nodes, arranged.followers()
    made: list[tuple[PlanNode, Sequence[int]]] = []
    for position, node in enumerate(nodes):
        if isinstance(node.call, Finishing) and node.cost >= node.call.least:
            chain = _chain(arranged, position, followers)
            if len(chain) > 1:
                made.append((FinishedNode([nodes[i] for i in chain], arranged.lines), chain))
    return arranged.put_in_place(made)


def _chain(arranged: Arrangement, start: int, followers: Mapping[int, Sequence[int]]) -> list[int]:
    """The positions of a kernel, its bias, and the function of that, as far as they go together."""
    nodes = arranged.nodes
    chain = [start]
    while len(chain) < 3:
        node = nodes[chain[-1]]
        after = _after(arranged, chain[-1], followers)
        # Where nothing else follows, no way leads out of the chain and back.
        if len(after) != 1 or arranged.handed_on(chain[-1]) is None:
            break
        (position,) = after
        follower = nodes[position]
        fits = _adds_bias(follower) if len(chain) == 1 else _is_unary(follower)
        if not fits or follower.guard != node.guard or follower.inputs[0] != node.outputs[0]:
            break
        # Its predicates are no values that it computes with.
        if slots_read(follower).count(node.outputs[0]) != 1:
            break
        chain.append(position)
    after = _after(arranged, chain[-1], followers)
    is_sum = len(chain) == 2 and nodes[chain[1]].elementwise
    # A cluster of elementwise nodes that follow has the sum for nothing.
    return [start] if is_sum and any(nodes[i].elementwise for i in after) else chain


def _after(
    arranged: Arrangement, position: int, followers: Mapping[int, Sequence[int]]
) -> Sequence[int]:
    """What follows a node, without the ends of its loop that only wait, as for all others."""
    nodes = arranged.nodes
    made = nodes[position].outputs
    return [
        i
        for i in followers.get(position, ())
        if nodes[i].kind not in ENDS or not set(slots_read(nodes[i])).isdisjoint(made)
    ]


def _adds_bias(node: PlanNode) -> bool:
    if node.op not in _BIASES or node.kind is not CallKind.PLAIN or node.adapters[0] is not None:
        return False
    if not node.elementwise:
        return True
    # Any sum, if it is not one with a vector.
    return bool(node.seen) and len(node.seen[0].shape) > len(node.seen[1].shape) == 1


def _is_unary(node: PlanNode) -> bool:
    if not node.elementwise or len(node.inputs) != 1 or len(node.outputs) != 1 or not node.seen:
        return False
    given, result = node.seen
    # The results are not known to be large when a part of them is finished.
    is_for_parts = of_part(node.call) is node.call
    is_plain = node.kind is CallKind.PLAIN and node.adapters[0] is None
    return given == result and is_plain and is_for_parts


def _in_place(node: PlanNode) -> Finish:
    """The function of a node as one that changes its argument."""
    call = node.call
    if node.op == "Relu":
        return Rectifier(lambda part: call(part, out=part))

    def finish(part: Any) -> None:
        part[...] = call(part)

    return finish
