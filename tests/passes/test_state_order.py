"""Who reads and writes state keeps its place among the others, whatever is rewritten in between."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from dataflow.passes.algebra.simplify import SimplifyOptions, simplify
from dataflow.passes.graphs import state_order
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.checks import make_all
from tests.passes.building import Nodes, assert_sound

F, INT = dtypes.float32, dtypes.int32


def random_graph(rng: random.Random) -> NodeGraph:
    """Updates, reads and what is computed from them, waiting for each other by chance."""
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("one", np.float32(1))
    nodes.const("matrix", np.zeros((2, 3), np.float32))
    nodes.add("VariableV2", "sizes", dtype=INT, shape=TensorShape([2]))
    variables = [f"v{index}" for index in range(3)]
    for name in variables:
        nodes.add("VariableV2", name, dtype=F, shape=TensorShape([]))
    values, all_nodes = ["x"], ["x"]
    sized: list[str] = []
    for index in range(rng.randint(8, 30)):
        name = f"n{rng.randint(0, 9)}_{index}"
        waits = [f"^{n}" for n in rng.sample(all_nodes, min(len(all_nodes), rng.choice((0, 1, 2))))]
        value, variable = rng.choice(values), rng.choice(variables)
        kind = rng.choice(("update", "read", "passed", "pure", "neutral", "gate", "sized"))
        if kind == "update":
            nodes.add("AssignAdd", name, [variable, value, *waits], T=F)
        elif kind == "read":
            nodes.add("Neg", name, [variable, *waits], T=F)
        elif kind == "passed":
            nodes.add("Identity", name, [variable, *waits], T=F)
        elif kind == "pure":
            nodes.add("Exp", name, [value, *waits], T=F)
        elif kind == "neutral":
            nodes.add("Mul", name, [value, "one", *waits], T=F)
        elif kind == "sized":
            nodes.add("ShapeN", f"{name}_shapes", ["matrix", "matrix"], N=2, T=F, out_type=INT)
            nodes.add("AddV2", name, ["sizes", f"{name}_shapes:{rng.randint(0, 1)}", *waits], T=INT)
            sized.append(name)
        else:
            nodes.add("NoOp", name, waits)
        all_nodes.append(name)
        if kind not in ("gate", "sized"):
            values.append(name)
    ends = rng.sample(values, min(len(values), 4))
    types = (F,) * len(ends) + (INT,) * len(sized)
    nodes.add("IdentityN", "end", [*ends, *sized], T=types)
    return nodes.graph()


def comes_after(graph: NodeGraph) -> dict[str, set[str]]:
    """For each node the names of all that come before it."""
    before: dict[Node, set[str]] = {}
    for node in topological_order(graph):
        before[node] = {edge.src.name for edge in node.in_edges}.union(
            *(before[edge.src] for edge in node.in_edges)
        )
    return {node.name: names for node, names in before.items()}


@pytest.mark.parametrize("few", [0, 8])
def test_users_of_state_stay_in_order(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_order, "_FEW", few)
    make_all((f"seed {seed}", partial(_assert_in_order, seed)) for seed in range(300))


def _assert_in_order(seed: int) -> None:
    graph = random_graph(random.Random(seed))
    updates = [node.name for node in graph.nodes() if node.op == "AssignAdd"]
    readers = [n.name for n in graph.nodes() if n.op in ("Neg", "AddV2")]
    before = comes_after(graph)
    found = simplify(graph, {"end"}, options=SimplifyOptions()).graph
    assert_sound(found)
    after = comes_after(found)
    assert set(updates) <= after.keys()
    for user in (*updates, *(name for name in readers if name in after)):
        for other in (*updates, *(name for name in readers if name in after)):
            assert other not in before[user] or other in after[user], (other, user)
        for update in updates:
            assert update in before[user] or update not in after[user], (update, user)


def test_what_a_user_of_state_waits_for_may_be_new() -> None:
    """`second` needs not wait for a gate any more; `first` takes a constant that has come last."""
    nodes = Nodes()
    nodes.const("x", np.zeros((2, 3), np.float32))
    nodes.add("VariableV2", "v", dtype=INT, shape=TensorShape([2]))
    nodes.add("ShapeN", "shapes", ["x", "x"], N=2, T=F, out_type=INT)
    nodes.add("AddV2", "first", ["v", "shapes:1"], T=INT)
    nodes.add("Neg", "second", ["v", "^first"], T=INT)
    nodes.add("IdentityN", "end", ["second", "first"], T=(INT, INT))
    found = simplify(nodes.graph(), {"end"}).graph
    assert not any(node.op == "ShapeN" for node in found.nodes())
    assert "first" in comes_after(found)["second"]
    assert_sound(found)


def test_many_wait_for_many_by_way_of_one_node() -> None:
    count = 50
    nodes = Nodes()
    nodes.placeholder("x")
    for index in range(count):
        nodes.add("VariableV2", f"v{index}", dtype=F, shape=TensorShape([]))
        nodes.add("Neg", f"read{index}", [f"v{index}"], T=F)
    nodes.add("AddN", "sum", [f"read{index}" for index in range(count)], N=count, T=F)
    nodes.add("NoOp", "gate", ["^sum"])
    updates = [f"update{index}" for index in range(count)]
    for index, update in enumerate(updates):
        nodes.add("AssignAdd", update, [f"v{index}", "x", "^gate"], T=F)
    nodes.add("NoOp", "end", [*(f"^{update}" for update in updates), "^sum"])
    found = simplify(nodes.graph(), {"end"}).graph
    assert_sound(found)
    after = comes_after(found)
    reads = {f"read{index}" for index in range(count)}
    assert all(reads <= after[update] for update in updates)
    assert sum(len(node.in_edges) for node in found.nodes()) < 10 * count
