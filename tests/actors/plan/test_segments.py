"""Cutting plans into segments: an order that runs, no needless waiting, parallel if it pays."""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time

from hypothesis import given
from hypothesis import strategies as st

from dataflow.actors.plan.segments import COSTLY, Cut, cut

Graph = tuple[list[list[int]], list[bool], list[float]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Predecessors, blocking flags and costs of a random DAG."""
    count = draw(st.integers(1, 30))
    predecessors = [
        sorted(draw(st.sets(st.integers(0, i - 1), max_size=3))) if i else [] for i in range(count)
    ]
    blocking = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    costs = draw(st.lists(st.sampled_from([1e-6, 10 * COSTLY]), min_size=count, max_size=count))
    return predecessors, blocking, costs


def _ancestors(predecessors: Sequence[Sequence[int]]) -> list[set[int]]:
    found: list[set[int]] = []
    for before in predecessors:
        found.append(set(before).union(*(found[p] for p in before)) if before else set())
    return found


def _segment_of(groups: Cut) -> dict[int, int]:
    return {node: s for s, members in enumerate(groups.segments) for node in members}


@given(graphs(), st.sampled_from([1, 2]))
def test_every_node_stands_once_after_what_it_follows(graph: Graph, threads: int) -> None:
    predecessors, blocking, costs = graph
    groups = cut(predecessors, blocking, costs, threads)
    assert sorted(n for members in groups.segments for n in members) == list(range(len(blocking)))
    segment_of = _segment_of(groups)
    waiting = list(groups.in_degrees)
    ready = [s for s, count in enumerate(waiting) if not count]
    done: set[int] = set()
    for segment in ready:
        for node in groups.segments[segment]:
            assert done.issuperset(predecessors[node])
            done.add(node)
        for successor in groups.successors[segment]:
            waiting[successor] -= 1
            if not waiting[successor]:
                ready.append(successor)
    assert len(ready) == len(groups.segments)
    assert set(segment_of.values()) == set(ready)


@given(graphs(), st.sampled_from([1, 2]))
def test_no_node_waits_for_a_blocking_node_it_does_not_follow(graph: Graph, threads: int) -> None:
    predecessors, blocking, costs = graph
    groups = cut(predecessors, blocking, costs, threads)
    ancestors = _ancestors(predecessors)
    segment_of = _segment_of(groups)
    before: list[set[int]] = [set() for _ in groups.segments]
    for segment, successors in enumerate(groups.successors):
        for successor in successors:
            before[successor].add(segment)
    reached: list[set[int]] = [set() for _ in groups.segments]
    changed = True
    while changed:
        changed = False
        for segment, direct in enumerate(before):
            more = direct.union(*(reached[s] for s in direct)) if direct else set()
            changed |= more != reached[segment]
            reached[segment] = more
    for node in range(len(blocking)):
        waits_for = {
            other
            for s in reached[segment_of[node]]
            for other in groups.segments[s]
            if blocking[other]
        }
        assert waits_for == {a for a in ancestors[node] if blocking[a]}
        if blocking[node]:
            assert groups.segments[segment_of[node]] == (node,)


def test_cheap_nodes_are_one_segment() -> None:
    groups = cut([[], [], [0], [1], [2, 3]], [False] * 5, [1e-6] * 5, 2)
    assert groups.segments == ((0, 1, 2, 3, 4),)


def test_a_costly_chain_is_one_segment() -> None:
    groups = cut([[], [0], [1], [2]], [False] * 4, [10 * COSTLY] * 4, 2)
    assert groups.segments == ((0, 1, 2, 3),)


def test_two_costly_chains_are_two_segments() -> None:
    groups = cut([[], [], [0], [1], [2, 3]], [False] * 5, [10 * COSTLY] * 4 + [1e-6], 2)
    assert groups.segments == ((0, 2), (1, 3), (4,))
    assert groups.in_degrees == (0, 0, 2)


def test_two_chains_stay_one_segment_where_helpers_are_as_good() -> None:
    chains = [[], [], [0], [1], [2, 3]]
    costs = [10 * COSTLY] * 4 + [1e-6]
    halves = [cost / 2 for cost in costs]
    assert cut(chains, [False] * 5, costs, 2, halves).segments == ((0, 1, 2, 3, 4),)
    # Helpers who save a quarter only are worth less than a chain for each thread.
    less = [cost * 0.75 for cost in costs]
    assert cut(chains, [False] * 5, costs, 2, less).segments == ((0, 2), (1, 3), (4,))


def test_more_chains_than_threads_end_no_sooner() -> None:
    # Two threads do three chains in one and a half times the time of one chain.
    costs = [10 * COSTLY] * 3
    assert len(cut([[], [], []], [False] * 3, costs, 2, costs).segments) == 3
    assert len(cut([[], [], []], [False] * 3, costs, 2, [c / 2 for c in costs]).segments) == 1


def test_segments_must_save_a_tenth() -> None:
    assert len(cut([[], []], [False] * 2, [1.0, 1.0], 2, [0.525, 0.525]).segments) == 1
    assert len(cut([[], []], [False] * 2, [1.0, 1.0], 2, [0.6, 0.6]).segments) == 2


def test_one_thread_needs_no_segments() -> None:
    groups = cut([[], [], [0, 1]], [False] * 3, [10 * COSTLY] * 3, 1)
    assert groups.segments == ((0, 1, 2),)


def test_a_send_does_not_wait_for_a_recv() -> None:
    # 0 computes, 1 sends it; 2 receives; 3 uses both.
    groups = cut([[], [0], [], [0, 2]], [False, False, True, False], [1e-6] * 4, 1)
    assert groups.segments == ((0, 1), (2,), (3,))
    assert groups.in_degrees == (0, 0, 2)


def test_cost_grows_with_the_graph_only() -> None:
    def seconds(count: int) -> float:
        predecessors = [[i // 2, i - 1] if i else [] for i in range(count)]
        blocking = [i % 50 == 7 for i in range(count)]
        costs = [10 * COSTLY if i % 10 == 0 else 1e-6 for i in range(count)]
        start = thread_time()
        cut(predecessors, blocking, costs, 2)
        return thread_time() - start

    seconds(1000)
    assert seconds(20_000) < 60 * max(seconds(1000), 0.002)
