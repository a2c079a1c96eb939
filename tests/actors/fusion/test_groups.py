"""Groups of connected nodes that can be one: no way leads out of one and back."""

from __future__ import annotations

from dataflow.actors.fusion.groups import connected


def test_a_way_over_a_node_outside_parts_them() -> None:
    # 0 -> 1 -> 2 and 0 -> 2, where 1 has no key.
    assert sorted(connected(["k", None, "k"], [[], [0], [0, 1]])) == [[0], [2]]


def test_what_does_nothing_is_part_of_the_group() -> None:
    assert connected(["k", None, "k"], [[], [0], [1]], free={1}) == [[0, 1, 2]]
    assert sorted(connected(["k", None, "k"], [[], [0], [1]])) == [[0], [2]]


def test_nodes_of_other_keys_stand_between() -> None:
    keys = ["a", "b", "a", "a"]
    # 0 -> 1 -> 2, and 3 follows 0 only.
    assert sorted(connected(keys, [[], [0], [1], [0]])) == [[0, 3], [1], [2]]


def test_a_node_waits_for_the_one_that_reads_it() -> None:
    # 0 could run at once, but 3, which reads it, waits for 2, which has no key and follows 1.
    assert sorted(connected(["a", "a", None, "a"], [[], [], [1], [0, 2]])) == [[0, 3], [1]]


def test_a_node_that_others_wait_for_stays_where_it_is() -> None:
    # What 0 makes is read by 2 as well, which comes before 3.
    assert sorted(connected(["a", "a", None, "a"], [[], [], [0, 1], [0, 2]])) == [[0], [1], [3]]


def test_nodes_of_one_key_that_are_not_connected() -> None:
    assert sorted(connected(["a", "a"], [[], []])) == [[0], [1]]
