"""Prune: exactly what the fetches and targets need, after the feeds have been cut in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflow.errors import InvalidArgumentError, NotFoundError, OpError, OutOfRangeError
from dataflow.passes.algebra.cse import equal_constants
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.optimize import merge_early
from dataflow.passes.prune import prune
from dataflow.proto.config_pb2 import GraphOptions, OptimizerOptions
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.runtime.signature import StepSignature
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.passes import oracle
from tests.passes.building import (
    CPU_0,
    CPU_1,
    Nodes,
    assert_golden,
    assert_sound,
    closed_under_inputs,
    names,
    read_golden,
    text,
)


def _branches() -> NodeGraph:
    nodes = Nodes()
    nodes.placeholder("x")
    nodes.const("axis", np.int32(0))
    nodes.add("Split", "s", ["axis", "x"], num_split=2, T=dtypes.float32)
    nodes.float_op("Add", "sum", "s", "s:1")
    nodes.add("NoOp", "after_x", ["^x"])
    nodes.add("NoOp", "after_s", ["^s"])
    nodes.float_op("Neg", "unused", "sum")
    return nodes.graph()


def test_golden_feed_of_a_placeholder() -> None:
    # x is gone, its consumer and its control edge hang on _arg_x_0_0; `unrelated`, stateful as it
    # is, has no path to a fetch and is gone too.
    graph = import_graph(read_golden("prune_placeholder"))
    pruned = prune(graph, StepSignature(("x:0",), ("y:0",), ("after",)))
    assert_golden(pruned, "prune_placeholder_out")
    assert text(graph).startswith("x = Placeholder()")


def test_golden_feed_of_a_second_output() -> None:
    # s:1 comes from the feed, s:0 is still computed, and what waits for s still makes it run.
    graph = import_graph(read_golden("prune_second_output"))
    pruned = prune(graph, StepSignature(("s:1",), ("sum:0",), ("after",)))
    assert_golden(pruned, "prune_second_output_out")


def test_nothing_behind_a_feed_is_kept() -> None:
    pruned = prune(_branches(), StepSignature(("s:0", "s:1"), ("sum:0",)))
    assert text(pruned).splitlines() == [
        "_arg_s_0_0 = _Arg()",
        "_arg_s_1_1 = _Arg()",
        "sum = Add(_arg_s_0_0, _arg_s_1_1)",
        "_retval_sum_0_0 = _Retval(sum)",
    ]


def test_a_feed_that_nothing_uses_is_left_out() -> None:
    pruned = prune(_branches(), StepSignature(("x:0", "unused"), ("sum:0",)))
    assert names(pruned) == {"_arg_x_0_0", "axis", "s", "sum", "_retval_sum_0_0"}


def test_indices_are_those_of_the_signature() -> None:
    pruned = prune(_branches(), StepSignature(("s:1", "s"), ("sum:0", "sum", "axis:0")))
    indices = {
        (node.op, node.attrs["index"]): (node.attrs["T"].name, [e.src.name for e in node.in_edges])
        for node in pruned.nodes()
        if node.op in ("_Arg", "_Retval")
    }
    assert indices == {
        ("_Arg", 0): ("float32", []),
        ("_Arg", 1): ("float32", []),
        ("_Retval", 0): ("float32", ["sum"]),
        ("_Retval", 1): ("float32", ["sum"]),
        ("_Retval", 2): ("int32", ["axis"]),
    }


def test_feeds_and_fetches_stay_with_their_tensor() -> None:
    graph = _branches()
    graph.assign(dict.fromkeys(names(graph), CPU_0) | {"x": CPU_1, "sum": CPU_1})
    pruned = prune(graph, StepSignature(("x:0",), ("sum:0",)))
    placed = {node.name: node.assigned_device for node in pruned.nodes()}
    assert placed == {
        "_arg_x_0_0": CPU_1,
        "axis": CPU_0,
        "s": CPU_0,
        "sum": CPU_1,
        "_retval_sum_0_0": CPU_1,
    }


def test_a_fetch_of_an_unplaced_tensor_is_colocated_with_it() -> None:
    retval = prune(_branches(), StepSignature((), ("sum:0",))).find("_retval_sum_0_0")
    assert retval is not None and retval.attrs["_class"] == (b"loc:@sum",)


def test_a_fetched_reference_is_read() -> None:
    nodes = Nodes()
    nodes.add("VariableV2", "v", dtype=dtypes.float32, shape=TensorShape([]))
    pruned = prune(nodes.graph(), StepSignature((), ("v:0",)))
    retval = pruned.find("_retval_v_0_0")
    assert retval is not None and retval.attrs["T"] is dtypes.float32


def test_a_loop_is_kept_whole() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.float_op("Enter", "enter", "a", frame_name=b"f")
    nodes.float_op("Merge", "merge", "enter", "next", N=2)
    nodes.add("LoopCond", "cond", ["less"])
    nodes.float_op("Less", "less", "merge", "merge")
    nodes.float_op("Switch", "switch", "merge", "cond")
    nodes.float_op("Exit", "exit", "switch")
    nodes.float_op("NextIteration", "next", "switch:1")
    graph = nodes.graph()
    pruned = prune(graph, StepSignature((), ("exit:0",)))
    assert names(pruned) == names(graph) | {"_retval_exit_0_0"}
    assert not list(closed_under_inputs(pruned))


@pytest.mark.parametrize(
    ("signature", "error", "message"),
    [
        (
            StepSignature(),
            InvalidArgumentError,
            "Must specify at least one target to fetch or execute",
        ),
        (
            StepSignature(("x:0", "x:0"), ("sum:0",)),
            InvalidArgumentError,
            'Endpoint "x:0" fed more than once.',
        ),
        (
            StepSignature(("sum:0",), ("sum:0",)),
            InvalidArgumentError,
            "sum:0 is both fed and fetched.",
        ),
        (
            StepSignature(("q:0",), ("sum:0",)),
            InvalidArgumentError,
            "Tensor q:0, specified in either feed_devices or fetch_devices was not found in the "
            "Graph",
        ),
        (
            StepSignature((), ("q:0",)),
            InvalidArgumentError,
            "Tensor q:0, specified in either feed_devices or fetch_devices was not found in the "
            "Graph",
        ),
        (
            StepSignature((), ("sum:x",)),
            InvalidArgumentError,
            "Tensor sum:x:0, specified in either feed_devices or fetch_devices was not found in "
            "the Graph",
        ),
        (
            StepSignature((), ("s:2",)),
            OutOfRangeError,
            "Node 's' (type: 'Split', num of outputs: 2) does not have output 2",
        ),
        (
            StepSignature((), ("after_x:0",)),
            OutOfRangeError,
            "Node 'after_x' (type: 'NoOp', num of outputs: 0) does not have output 0",
        ),
        (
            StepSignature((), (), ("q", "sum", "r")),
            NotFoundError,
            "PruneForTargets: Some target nodes not found: q r ",
        ),
    ],
)
def test_errors_are_tensorflows(
    signature: StepSignature, error: type[OpError], message: str
) -> None:
    graph = _branches()
    with pytest.raises(error) as caught:
        prune(graph, signature)
    assert message in caught.value.message
    theirs = oracle.callable_error(to_graph_def(_branches()), signature)
    assert theirs == (error.__name__, caught.value.message)


def test_the_pruned_graph_is_what_tensorflow_runs() -> None:
    # TensorFlow numbers feeds by name.
    signature = StepSignature(("s:1", "x:0"), ("sum:0",), ("after_x", "after_s"))
    graph_def = to_graph_def(_branches())
    feeds = {"x:0": np.zeros(2, np.float32), "s:1": np.zeros(1, np.float32)}
    theirs = oracle.partitions(graph_def, 1, ["sum:0"], ["after_x", "after_s"], feeds)
    (part,) = theirs.by_device.values()
    ours = prune(import_graph(graph_def), signature)
    shown = {f"{node.name} = {node.op}({', '.join(node.input)})" for node in part.node}
    assert set(text(ours).splitlines()) == shown


@st.composite
def _random_graphs(draw: st.DrawFn) -> tuple[Nodes, list[tuple[list[str], list[str]]]]:
    """A GraphDef, and for each node its data and control inputs."""
    nodes = Nodes()
    inputs: list[tuple[list[str], list[str]]] = []
    for index in range(draw(st.integers(1, 25))):
        earlier = [f"n{i}" for i in range(index)]
        data = draw(st.lists(st.sampled_from(earlier), min_size=2, max_size=2)) if earlier else []
        controls = (
            draw(st.lists(st.sampled_from(earlier), max_size=2, unique=True)) if earlier else []
        )
        if not earlier or draw(st.integers(0, 4)) == 0:
            data = []
            nodes.add("Placeholder", f"n{index}", [f"^{c}" for c in controls], dtype=dtypes.float32)
        else:
            nodes.float_op("Add", f"n{index}", *data, *[f"^{c}" for c in controls])
        inputs.append((data, controls))
    return nodes, inputs


@given(_random_graphs(), st.data())
def test_exactly_what_is_reachable_is_kept(
    built: tuple[Nodes, list[tuple[list[str], list[str]]]], data: st.DataObject
) -> None:
    nodes, inputs = built
    everything = [f"n{i}" for i in range(len(inputs))]
    fed = data.draw(st.lists(st.sampled_from(everything), max_size=4, unique=True))
    fetches = data.draw(st.lists(st.sampled_from(everything), max_size=3, unique=True))
    fetches = [name for name in fetches if name not in fed]
    targets = data.draw(st.lists(st.sampled_from(everything), min_size=1, max_size=2, unique=True))
    placeholders = {n.name for n in nodes.graph_def.node if n.op == "Placeholder"}

    def arg(name: str) -> str:
        return f"_arg_{name}_0_{fed.index(name)}"

    # Independently of the pass: a fixed point over names.
    wanted = {*fetches, *targets}
    while True:
        more = set(wanted)
        for name in wanted:
            if not name.startswith("_arg"):
                data_inputs, controls = inputs[int(name[1:])]
                more |= {arg(n) if n in fed else n for n in data_inputs}
                more |= {arg(n) if n in fed and n in placeholders else n for n in controls}
        if more == wanted:
            break
        wanted = more
    wanted |= {f"_retval_{name}_0_{index}" for index, name in enumerate(fetches)}

    feeds = tuple(f"{name}:0" for name in fed)
    pruned = prune(nodes.graph(), StepSignature(feeds, tuple(fetches), tuple(targets)))
    assert names(pruned) == wanted
    assert not list(closed_under_inputs(pruned))
    assert_sound(pruned)


def test_a_deep_graph() -> None:
    nodes = Nodes()
    nodes.placeholder("n0")
    for index in range(1, 30_000):
        nodes.float_op("Neg", f"n{index}", f"n{index - 1}")
    pruned = prune(nodes.graph(), StepSignature(("n0:0",), ("n29999:0",)))
    assert len(pruned) == 30_001


def _constants() -> NodeGraph:
    nodes = Nodes()
    nodes.placeholder("x")
    for name, value in (("one", 1.0), ("first", 2.0), ("same", 2.0), ("target", 2.0)):
        nodes.const(name, np.float32(value))
    nodes.const("waiting", np.float32(2.0), ["^x"])
    nodes.const("of_another_type", np.int32(2))
    nodes.const("elsewhere", np.float32(2.0), device=CPU_1)
    nodes.float_op("Add", "a", "first", "same")
    nodes.float_op("Add", "b", "a", "waiting")
    nodes.float_op("Add", "c", "b", "elsewhere")
    nodes.float_op("Add", "d", "c", "one")
    nodes.add("NoOp", "after", ["^same", "^of_another_type"])
    return nodes.graph()


def test_equal_constants_are_copied_once() -> None:
    graph = _constants()
    before = text(graph)
    signature = StepSignature((), ("d:0", "same:0"), ("after", "target"))
    pruned = prune(graph, signature, equal_constants)
    assert_sound(pruned)
    assert text(graph) == before
    # What is asked for by name stays, and so does what waits, or is of another type or device.
    whole = prune(graph, signature)
    assert names(whole) - names(pruned) == {"same"}
    assert "a = Add(first, first)" in text(pruned)
    assert "_retval_same_0_1 = _Retval(first)" in text(pruned)
    assert "after = NoOp(^first, ^of_another_type)" in text(pruned)


def test_a_fed_constant_does_not_stand_for_others() -> None:
    pruned = prune(_constants(), StepSignature(("first:0",), ("d:0",), ("after",)), equal_constants)
    assert "a = Add(_arg_first_0_0, same)" in text(pruned)


def test_constants_are_merged_early_only_where_all_are_merged() -> None:
    assert merge_early(GraphOptions()) is equal_constants
    off = RewriterConfig(common_subgraph_elimination=RewriterConfig.OFF)
    for options in (
        GraphOptions(rewrite_options=off),
        GraphOptions(place_pruned_graph=True),
        GraphOptions(optimizer_options=OptimizerOptions(opt_level=OptimizerOptions.L0)),
    ):
        assert merge_early(options) is None
