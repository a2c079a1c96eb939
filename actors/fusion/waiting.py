"""Which nodes may come to wait for each other where some of what they wait for is from elsewhere.

What one device receives may be made of what it has sent, or a queue may give what the step puts
into it: no edge of the plan says so. Were what makes a sent value one node with what needs a
received one, two devices could wait for each other. So a node may wait for no more than all that it
leads to waits for anyway.
"""

from __future__ import annotations

from collections.abc import Sequence


def awaited_anyway(
    blocking: Sequence[bool], predecessors: Sequence[Sequence[int]]
) -> Sequence[int]:
    """For each node what it may wait for: the blocking nodes, as the bits of a number.

    Nodes for which these are the same may become one, for what each waits for is among them. It
    takes time linear in the size of the graph.

    Args:
      blocking: Nodes that wait for something outside.
      predecessors: For each node the positions of those that it follows, all before its own.
    """
    waits: list[int] = []
    """Which blocking nodes each comes after."""
    with_own: list[int] = []
    """The same, and itself."""
    bit = 1
    for is_blocking, before in zip(blocking, predecessors, strict=True):
        found = 0
        for earlier in before:
            found |= with_own[earlier]
        waits.append(found)
        with_own.append(found | bit if is_blocking else found)
        bit <<= is_blocking
    anyway = [-1] * len(waits)
    for node in range(len(waits) - 1, -1, -1):
        # Others may wait for what nothing follows, as a value is sent, and for what waits itself.
        if blocking[node] or anyway[node] == -1:
            anyway[node] &= waits[node]
        for earlier in predecessors[node]:
            anyway[earlier] &= anyway[node]
    return anyway
