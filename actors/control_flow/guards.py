"""Guards: under which outcomes of which predicates a value is alive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Literal = tuple[int, int]
"""The number of a predicate and the branch it must take."""

Guard = tuple[Literal, ...]
"""A conjunction of literals in the order of their predicates; () holds always."""


def conjunction(first: Guard | None, second: Guard | None) -> Guard | None:
    """What holds where both hold; None, which never holds, if they contradict each other."""
    if first is None or second is None:
        return None
    if first == second or not second:
        return first
    if not first:
        return second
    merged = dict(first)
    for predicate, branch in second:
        if merged.setdefault(predicate, branch) != branch:
            return None
    if len(merged) == len(first):
        return first
    return tuple(sorted(merged.items()))


def implies(stronger: Guard, weaker: Guard) -> bool:
    """True if the weaker guard holds wherever the stronger one does."""
    return stronger[: len(weaker)] == weaker or set(stronger) >= set(weaker)


def exact_cover(guards: Sequence[Guard], ways: Callable[[int], int]) -> Guard | None:
    """The guard under which exactly one of several holds, if they are the leaves of a decision.

    Args:
      guards: At least one.
      ways: Number of branches of a predicate.

    Returns:
      What they have in common; None if, where that holds, several of them could hold, or none.
    """
    common = set(guards[0]).intersection(*guards[1:])
    rests = [dict(literal for literal in guard if literal not in common) for guard in guards]
    return tuple(sorted(common)) if _covers(rests, ways) else None


def _covers(rests: list[dict[int, int]], ways: Callable[[int], int]) -> bool:
    """True if always exactly one holds; works off a list, as decisions may nest deeply."""
    waiting = [rests]
    while waiting:
        leaves = waiting.pop()
        if not all(leaves):
            if len(leaves) > 1:
                return False
            continue
        # Whatever predicate all leaves name may be the first to decide.
        shared = set(leaves[0]).intersection(*leaves[1:])
        if not shared:
            return False
        predicate = min(shared)
        branches: dict[int, list[dict[int, int]]] = {}
        for leaf in leaves:
            branch = leaf.pop(predicate)
            branches.setdefault(branch, []).append(leaf)
        if len(branches) < ways(predicate):
            return False
        waiting += branches.values()
    return True
