"""Cuts: even and cheap, with what belongs together kept together, and with the same answers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.errors import InvalidArgumentError, ResourceExhaustedError
from dataflow.placement.cuts import SLACK, cut
from dataflow.placement.groups import Graph, groups_of
from dataflow.placement.measures import measured_costs
from dataflow.placement.pipeline import Pipeline
from dataflow.placement.place import place
from tests.placement.nets import oracle, save_layers, x_of

CPUS = ["/cpu:0", "/cpu:1", "/cpu:2"]


def config(count: int) -> tf.ConfigProto:
    return tf.ConfigProto(device_count={"CPU": count})


def devices(graph_def: tf.GraphDef) -> dict[str, str]:
    return {node.name: node.device for node in graph_def.node}


def assert_close(found: np.ndarray, wanted: np.ndarray) -> None:
    """The last bits of sums are the order's in which they are taken."""
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def unplaced(folder: Path, x: np.ndarray) -> np.ndarray:
    """The answer of the whole model on one device."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], folder)
        found: np.ndarray = session.run("y:0", {"x:0": x})
        return found


def test_cuts_are_the_best_of_all() -> None:
    """Against every way to cut, of random sequences."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        count, stages = int(rng.integers(1, 8)), int(rng.integers(1, 4))
        loads = rng.integers(0, 9, count).astype(float).tolist()
        crossing = rng.integers(0, 9, count).astype(float).tolist()
        sizes = rng.integers(1, 4, stages).astype(float).tolist()
        found = cut(loads, crossing, sizes)
        assert found == sorted(found)

        def fullest(stage_of: Any) -> float:
            held = [0.0] * stages  # noqa: B023
            for load, stage in zip(loads, stage_of, strict=True):  # noqa: B023
                held[stage] += load
            return max(each / size for each, size in zip(held, sizes, strict=True))  # noqa: B023

        def crossed(stage_of: Any) -> float:
            pairs = zip(crossing[1:], itertools.pairwise(stage_of), strict=True)  # noqa: B023
            return sum(cost for cost, (a, b) in pairs if a != b)

        every = [
            each
            for each in itertools.product(range(stages), repeat=count)
            if list(each) == sorted(each)
        ]
        least = min(map(fullest, every))
        allowed = [each for each in every if fullest(each) <= least * SLACK + 1e-9]
        assert fullest(found) <= least * SLACK + 1e-9
        assert crossed(found) == min(map(crossed, allowed))


@pytest.mark.parametrize("resources", [False, True])
def test_weights_are_balanced_and_stay_with_their_ops(tmp_path: Path, resources: bool) -> None:
    _, wanted = save_layers(tmp_path / "net", [32] * 6, resources)
    with Pipeline(tmp_path / "net", CPUS, target="", config=config(3)) as pipeline:
        where = devices(pipeline.placed)
        assert devices(place(tmp_path / "net", "memory", CPUS)) == where
        ops = pipeline.graph.get_operations()
        reads = [o for o in ops if o.type == "RestoreV2" and o.name.startswith("placed/")]
        assert sorted(op.device[-5:] for op in reads) == sorted(["CPU:0", "CPU:1", "CPU:2"] * 4)
        answer = pipeline.run({"x": x_of()})
        assert_close(answer["y"], wanted)
        np.testing.assert_array_equal(answer["y"], unplaced(tmp_path / "net", x_of()))
        asked = [{"x": x_of(rows)} for rows in (1, 2, 3, 4, 5) * 4]
        for request, answer in zip(asked, pipeline.map(asked), strict=True):
            assert answer["y"].shape == (len(request["x"]), 32)
        assert_close(answer["y"], wanted)
    for layer in range(6):
        used = {device for name, device in where.items() if name.startswith(f"layer{layer}/")}
        assert used == {CPUS[layer // 2]}


def test_a_frozen_net_is_cut_by_what_its_nodes_cost(tmp_path: Path) -> None:
    data, wanted = save_layers(tmp_path / "net", [64, 32, 32], False, frozen=True)
    frozen = tf.GraphDef.FromString(data)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(frozen, name="")
        costs = measured_costs(session, "y:0", {"x:0": x_of()})
    assert costs["MatMul"] > 0
    # Of made-up costs, so that the cut is known: the first product takes as long as all others.
    costs = dict.fromkeys(costs, 1.0) | {"MatMul": 4.0, "MatMul_1": 2.0, "MatMul_2": 2.0}
    costs |= {name: 0.0 for name in costs if not name.startswith("MatMul")}
    with Pipeline(
        frozen, CPUS[:2], "cost", target="", outputs={"y": "y:0"}, costs=costs, config=config(2)
    ) as pipeline:
        where = devices(pipeline.placed)
        assert_close(pipeline.run({"x:0": x_of()})["y"], wanted)
    assert [where[name] for name in ("MatMul", "MatMul_1", "MatMul_2")] == [
        "/cpu:0",
        "/cpu:1",
        "/cpu:1",
    ]
    assert where["layer0/w"] == "/cpu:0" and where["layer1/w"] == "/cpu:1"


def test_what_functions_do_is_cut(tmp_path: Path) -> None:
    first, second = (np.random.default_rng(n).random((32, 32), np.float32) for n in range(2))

    @tf.function
    def inner(x: Any) -> Any:
        return tf.tanh(tf.matmul(x, second, name="second"))

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 32], name="x")
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer(), use_resource=True)

        @tf.function
        def net(x: Any) -> Any:
            total.assign_add(tf.reduce_sum(x))
            return inner(tf.matmul(x, first, name="first"))

        y = net(x)
        with tf.control_dependencies([y]):
            n = total.read_value()
        session.run(total.initializer)
        costs = measured_costs(session, y, {x: x_of()})
        session.run(total.initializer)
        tf.saved_model.simple_save(session, str(tmp_path / "net"), {"x": x}, {"y": y, "n": n})
        again = place(graph.as_graph_def(), "cost", CPUS[:2], costs=costs, outputs=[y.name])
    assert {name for name in costs if "MatMul" in name or "second" in name} <= set(devices(again))
    with Pipeline(tmp_path / "net", CPUS[:2], target="", config=config(2)) as pipeline:
        used = devices(pipeline.placed)
        found = [pipeline.run({"x": x_of()}) for _ in range(2)]
    (one,), (two,) = (
        {where for name, where in used.items() if name.endswith(f"/{part}")}
        for part in ("first", "second")
    )
    assert (one, two) == ("/cpu:0", "/cpu:1")
    assert_close(found[0]["y"], np.tanh(x_of() @ first @ second))
    assert_close(np.array([each["n"] for each in found]), np.array([1, 2]) * x_of().sum())


def test_loops_and_colocated_nodes_are_not_parted() -> None:
    with oracle.Graph().as_default() as graph:
        x = oracle.placeholder(oracle.float32, [None, 8], name="x")
        before = oracle.matmul(x, oracle.ones([8, 8]), name="before")

        def body(i: Any, h: Any) -> tuple[Any, Any]:
            inner = oracle.while_loop(lambda j, _: j < i, lambda j, g: (j + 1, g + 1), [0, h])[1]
            return i + 1, oracle.matmul(inner, oracle.ones([8, 8]))

        oracle.disable_control_flow_v2()
        looped = oracle.while_loop(lambda i, _: i < 3, body, [0, before])[1]
        after = oracle.matmul(looped, oracle.ones([8, 8]), name="after")
        with oracle.colocate_with(before.op):
            oracle.add(after, 1.0, name="y")
        oracle.add(after, 1.0, name="z")
    graph_def = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    placed = place(graph_def, "memory", CPUS[:2], outputs=["z"])
    where = devices(placed)
    outside = ("Const", "Fill", "Shape")
    groups = dict(zip([n.name for n in placed.node], groups_of(Graph(placed)), strict=True))
    edges = [n.name for n in placed.node if n.op in ("Enter", "Exit", "Merge", "MatMul", "AddV2")]
    bound = {groups[name] for name in edges if name.startswith("while/")}
    assert len(bound) == 1 and not bound & {groups["before"], groups["after"]}
    frame = {n.device for n in placed.node if n.name.startswith("while/") and n.op not in outside}
    assert len(frame) == 1
    assert {where["before"], where["after"]} == {"/cpu:0", "/cpu:1"}
    assert where["y"] == where["before"]
    feeds = {"x:0": np.ones([2, 8], np.float32)}
    answers = []
    for each in (graph_def, placed):
        with tf.Graph().as_default(), tf.Session(config=config(2)) as session:
            tf.import_graph_def(each, name="")
            answers.append(session.run(["y:0", "z:0"], feeds))
    np.testing.assert_array_equal(answers[0], answers[1])


def test_what_goes_out_and_comes_back_stays() -> None:
    """Stages follow each other: no value goes back to an earlier one."""
    with oracle.Graph().as_default() as graph:
        x = oracle.placeholder(oracle.float32, [None, 8], name="x")
        h = oracle.matmul(x, oracle.ones([8, 8]), name="m0")
        first = h.op
        for number in (1, 2, 3, 4, 5):
            with oracle.colocate_with(first) if number == 3 else oracle.name_scope(None):
                weights = oracle.constant(np.ones([8, 8], np.float32))
                h = oracle.matmul(h, weights, name=f"m{number}")
    graph_def = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    where = devices(place(graph_def, "memory", CPUS[:2]))
    assert [where[f"m{n}"] for n in range(5)] == ["/cpu:0"] * 4 + ["/cpu:1"]
    assert where["m5"] == "/cpu:1"


def test_patterns_say_where(tmp_path: Path) -> None:
    _, wanted = save_layers(tmp_path / "net", [32, 32], True)
    patterns = [("^layer0/", "/cpu:1"), ("^layer1/|^MatMul_1$", "/cpu:0")]
    with Pipeline(
        tmp_path / "net", CPUS[:2], "pattern", target="", patterns=patterns, config=config(2)
    ) as pipeline:
        where = devices(pipeline.placed)
        assert_close(pipeline.run({"x": x_of()})["y"], wanted)
    assert where["layer0/w"] == where["layer0/w/Assign"] == "/cpu:1"
    assert where["MatMul_1"] == where["layer1/h"] == "/cpu:0"
    assert where["MatMul"] == where["y"] == ""


def test_mistakes_are_told(tmp_path: Path) -> None:
    data, _ = save_layers(tmp_path / "net", [32, 32], False, frozen=True)
    frozen = tf.GraphDef.FromString(data)
    with oracle.Graph().as_default() as graph:
        v = oracle.get_variable("v", [4], use_resource=False)
        oracle.identity(v, name="out")
    variable = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    lacking = tf.GraphDef()
    lacking.node.add(name="a", op="Identity", input=["b"])

    def told(kind: type[tf.errors.OpError], *arguments: Any, **others: Any) -> str:
        with pytest.raises(kind) as info:
            place(*arguments, **others)
        return str(info.value.message)

    invalid = InvalidArgumentError
    assert "by is 'size'" in told(invalid, frozen, "size", CPUS)
    assert "at least one device" in told(invalid, frozen, "memory", [])
    assert "is no device" in told(invalid, frozen, "memory", ["/cpu:x"])
    assert "must take more than 0" in told(invalid, frozen, "memory", {"/cpu:0": 0})
    assert "needs costs" in told(invalid, frozen, "cost", CPUS)
    assert "needs patterns" in told(invalid, frozen, "pattern", CPUS)
    assert "no regular expression" in told(invalid, frozen, "pattern", patterns=[("(", "/cpu:0")])
    assert "There is no node 'q'" in told(invalid, frozen, "memory", CPUS, outputs=["q:0"])
    assert "takes 'b', which is not in the graph" in told(invalid, lacking, "memory", CPUS)
    parted = [("^v$", "/cpu:0"), ("^v/read$", "/cpu:1")]
    assert "must share a device" in told(invalid, variable, "pattern", patterns=parted)
    small = {"/cpu:0": 5000.0, "/cpu:1": 3000.0}
    text = told(ResourceExhaustedError, frozen, "memory", small)
    assert "but device /cpu:1 has only 3000" in text
    text = told(ResourceExhaustedError, frozen, "memory", {"/cpu:0": 1.0})
    needed = float(text.split("take ")[1].split(" bytes")[0])
    told(ResourceExhaustedError, frozen, "memory", {"/cpu:0": needed - 1})
    place(frozen, "memory", {"/cpu:0": needed})
    with pytest.raises(InvalidArgumentError, match="no signature 'q'"):
        Pipeline(tmp_path / "net", CPUS, target="", signature="q")
