"""Control loops: those that TensorFlow makes, with each Recv in its loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from dataflow.errors import InvalidArgumentError
from dataflow.passes.control_flow.control_loop import add_control_loops
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import SplitLevel, split_by_device, split_by_worker
from dataflow.passes.prune import prune
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from tests.control_flow.programs.device_programs import (
    ARRAYS,
    CONDITIONALS,
    GRADIENTS,
    LOOPS,
    Program,
    Setting,
)
from tests.control_flow.random_graphs import nests, placed_nests
from tests.passes import oracle, worker_oracle
from tests.passes.building import (
    TASK,
    Nodes,
    assert_sound,
    closed_under_inputs,
    devices,
    everywhere,
    no_kernels,
)
from tests.passes.constant_copies import copy_small_constants
from tests.passes.op_set import BorrowedOps
from tests.passes.transfers import told
from tests.rounds import rounds

CPUS = [f"{TASK}/device:CPU:{index}" for index in range(4)]
FEEDS = {"n:0": 3, "x:0": [1.0, 2.0, 3.0], "p:0": True}
PROGRAMS = [*LOOPS, *CONDITIONALS, *ARRAYS, *GRADIENTS]


def _built(program: Program) -> tuple[GraphDef, StepSignature]:
    """TensorFlow's graph of a program."""
    with oracle.tf.Graph().as_default() as graph:
        tensors = program(Setting(oracle.tf))
        # TensorFlow fetches on the client's device, ours on the producer's.
        with oracle.tf.device("/cpu:0"):
            fetches = tuple(oracle.tf.identity(tensor).name for tensor in tensors)
        graph_def = GraphDef.FromString(graph.as_graph_def().SerializeToString())
    names = {node.name for node in graph_def.node}
    feeds = tuple(feed for feed in sorted(FEEDS) if feed[:-2] in names)
    return graph_def, StepSignature(feeds, fetches)


def _compiled(graph_def: GraphDef, signature: StepSignature, cluster: list[Any]) -> NodeGraph:
    graph = import_graph(graph_def)
    graph.assign(place(graph, cluster, everywhere, no_kernels))
    pruned = prune(graph, signature)
    copy_small_constants(pruned)
    return add_control_loops(pruned)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_parts_are_tensorflows(program: Program, ops: BorrowedOps) -> None:
    graph_def, signature = _built(program)
    ops.define(*{node.op for node in graph_def.node})
    first = [node.name for node in graph_def.node if node.name.endswith("/Assign")]
    feeds = {name: FEEDS[name] for name in signature.feeds}
    theirs = oracle.partitions(graph_def, 4, list(signature.fetches), feeds=feeds, first=first)
    cluster = devices(*CPUS)
    ours = split_by_device(_compiled(graph_def, signature, cluster), cluster)
    for part in ours.values():
        assert_sound(part)
        assert not list(closed_under_inputs(part))
    wanted = told(theirs.by_device.values())
    found = told(to_graph_def(part) for part in ours.values())
    assert found == wanted


# What two devices of a worker need is received by one and sent on to the other; TensorFlow takes
# that whose node was built first, which is not the same here in this one.
WORKER_PROGRAMS = [p for p in PROGRAMS if p.__name__ != "gradient_of_condition_elsewhere"]


@pytest.mark.parametrize("program", WORKER_PROGRAMS, ids=lambda program: program.__name__)
def test_the_parts_of_workers_are_tensorflows(program: Program, ops: BorrowedOps) -> None:
    inputs = {"n": 3, "x": [1.0, 2.0, 3.0], "p": True}

    def build() -> list[Any]:
        tensors = program(Setting(oracle.tf, worker_oracle.DEVICES, inputs))
        with oracle.tf.device(worker_oracle.DEVICES[0]):
            return [oracle.tf.identity(tensor) for tensor in tensors]

    values, graph_def, theirs = worker_oracle.run(build)
    ops.define(*{node.op for node in graph_def.node})
    fetches = [node.name for node in graph_def.node if node.op == "Identity"][-len(values) :]
    cluster = devices(*worker_oracle.DEVICES)
    graph = _compiled(graph_def, StepSignature((), tuple(f"{name}:0" for name in fetches)), cluster)
    ours = []
    for part in split_by_worker(graph, cluster).values():
        sent = import_graph(to_graph_def(part), partition=True)
        leaves = split_by_device(sent, cluster, SplitLevel.IN_WORKER)
        ours += [to_graph_def(leaf) for leaf in leaves.values()]
    assert told(ours) == told(theirs)


def _loop(*, pivot: bool, **attrs: Any) -> Nodes:
    """A loop whose body is on another device, with or without a LoopCond."""
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.float_op("Enter", "enter", "a", frame_name=b"outer/while", **attrs)
    nodes.float_op("Merge", "merge", "enter", "next", N=2)
    nodes.float_op("Less", "less", "merge", "merge")
    decides = nodes.add("LoopCond", "cond", ["less"]) if pivot else "less"
    nodes.float_op("Switch", "switch", "merge", decides)
    nodes.float_op("Exit", "exit", "switch")
    nodes.float_op("Neg", "body", "switch:1", device="/device:CPU:2")
    nodes.float_op("NextIteration", "next", "body")
    return nodes


def _placed(nodes: Nodes) -> NodeGraph:
    graph = nodes.graph()
    graph.assign(place(graph, devices(*CPUS), everywhere, no_kernels))
    return graph


def test_a_loop_over_devices_without_a_pivot_is_tensorflows_error() -> None:
    nodes = _loop(pivot=False)
    theirs = oracle.placement_error(nodes.graph_def, 3)
    with pytest.raises(InvalidArgumentError) as caught:
        add_control_loops(_placed(nodes))
    theirs = (theirs or "").removeprefix("Graph execution error:\n\n")
    assert theirs == "A cross-device loop must have a pivot predicate: outer/while"
    assert caught.value.message.startswith(theirs)
    assert "'body'" in caught.value.message and "LoopCond" in caught.value.message


def test_a_device_that_only_sends_invariants_comes_to_all_iterations() -> None:
    nodes = _loop(pivot=True)
    nodes.float_op("Enter", "invariant", "a", frame_name=b"outer/while", is_constant=True)
    nodes.float_op("Neg", "used", "invariant", device="/device:CPU:3")
    nodes.float_op("Add", "uses", "used", "switch:1", device="/device:CPU:2")
    graph = add_control_loops(_placed(nodes))
    advanced = {node.assigned_device for node in graph.nodes() if node.op == "NextIteration"}
    assert advanced == {CPUS[0], CPUS[2], CPUS[3]}
    switches = [n for n in graph.nodes() if n.op == "Switch" and n.assigned_device == CPUS[3]]
    (switch,) = switches
    assert [edge.src.name for edge in switch.data_edges()][1] == "cond"


def test_what_needs_no_control_loops_stays_as_it_is() -> None:
    local = _loop(pivot=True)
    for node in local.graph_def.node:
        node.device = "/device:CPU:1"
    local.const("far", 1.0, device="/device:CPU:0")
    straight = Nodes()
    straight.const("a", 1.0, device="/device:CPU:0")
    straight.float_op("Neg", "b", "a", device="/device:CPU:1")
    for graph in (_placed(local), _placed(straight), NodeGraph()):
        assert add_control_loops(graph) is graph


def test_the_given_graph_is_not_changed() -> None:
    nodes = _loop(pivot=True)
    for node in nodes.graph_def.node:
        if node.op == "NextIteration":
            node.device = "/device:CPU:3"
    graph = _placed(nodes)
    before = to_graph_def(graph)
    after = add_control_loops(graph)
    assert to_graph_def(graph) == before
    moved = after.find("next")
    assert moved is not None and moved.assigned_device == CPUS[0]
    assert_sound(after)


def test_names_that_are_taken_are_passed_over() -> None:
    nodes = _loop(pivot=True)
    nodes.float_op("Neg", "body/_0", "a")
    graph = add_control_loops(_placed(nodes))
    assert_sound(graph)
    added = [node for node in graph.nodes() if node.name.startswith("body/_")]
    assert [node.op for node in added] == ["Neg", "Const"]


def test_a_control_loop_runs_as_many_iterations_at_a_time_as_its_loop() -> None:
    graph = add_control_loops(_placed(_loop(pivot=True, parallel_iterations=3)))
    enters = [node for node in graph.nodes() if node.op == "Enter"]
    assert len(enters) == 3
    assert {node.attrs["parallel_iterations"] for node in enters} == {3}
    assert {node.attrs["frame_name"] for node in enters} == {b"outer/while"}


@rounds(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nest=nests.NESTS, places=placed_nests.PLACES, with_gradients=st.booleans())
def test_random_nests_on_random_devices(
    nest: nests.Block, places: list[int], with_gradients: bool, ops: BorrowedOps
) -> None:
    def program(at: Setting) -> list[Any]:
        tf = at.tf
        xs = [tf.constant([[0.1, 0.7], [-0.4, 0.3]]) + 0.1, tf.constant(np.eye(2, dtype="f")) + 1.0]
        found = placed_nests.build(tf, nest, places, CPUS, xs)
        if with_gradients:
            return [*tf.gradients(found, xs, unconnected_gradients="zero")]
        return found

    try:
        test_the_parts_are_tensorflows(program, ops)
    except oracle.tf.errors.OpError:
        # TensorFlow tells its parts only of a step that it has run.
        assume(False)
