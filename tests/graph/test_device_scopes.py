"""Device scopes: strings, specs, functions and None, one inside the other; against TensorFlow."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

import dataflow as tf
from tests.importing.both import assert_same, oracle


def job_w(op: Any) -> str:
    return "/job:w"


def with_what_is_inside(op: Any) -> str:
    return f"{op.device}/job:q"


def raw(op: Any) -> str:
    return "/cpu:1"


def empty(op: Any) -> str:
    return ""


def nothing(op: Any) -> None:
    return None


def by_attr(op: Any) -> str:
    return "/job:ps" if op.type == "VariableV2" else "/job:worker"


class Spec:
    """A DeviceSpec, or with `function` a function that gives one."""

    def __init__(self, function: bool = False) -> None:
        self.function = function

    def of(self, lib: Any) -> Any:
        """The scope's value."""
        spec = lib.DeviceSpec(job="k", task=1)
        return (lambda op: spec) if self.function else spec


# From the outermost scope to the innermost.
SCOPES: dict[str, list[Any]] = {
    "strings": ["/job:a/task:2", "/task:3", "/cpu:1"],
    "string over what another left open": ["/cpu:1/job:z", "/job:y"],
    "empty string": ["/cpu:1", ""],
    "spec inside": ["/cpu:1", Spec()],
    "spec outside": [Spec(), "/job:j/cpu:1"],
    "None": ["/cpu:1", None, "/job:q"],
    "function outside": [job_w, "/cpu:1"],
    "function inside": ["/cpu:1", job_w],
    "function between": ["/job:a", job_w, "/cpu:1"],
    "function that looks": [with_what_is_inside, "/cpu:1"],
    "functions": [with_what_is_inside, job_w],
    "function and None": [job_w, None, "/cpu:0"],
    "function gives a raw name": [raw],
    "function gives a raw name inside": ["/job:a", raw],
    "function gives nothing to say": [empty, "/cpu:1"],
    "function gives a spec": [Spec(function=True), "/cpu:1"],
    "function gives None": ["/cpu:1", nothing],
    "function tells ops apart": ["/cpu:0", by_attr],
    "malformed": ["/foo:1"],
    "malformed in a function": [lambda op: "/foo:1", "/cpu:1"],
}


@pytest.mark.parametrize("case", SCOPES)
def test_devices_are_tensorflows(case: str) -> None:
    def program(lib: Any) -> Any:
        with ExitStack() as stack:
            for scope in SCOPES[case]:
                stack.enter_context(lib.device(scope.of(lib) if isinstance(scope, Spec) else scope))
            lib.no_op(name="n")
            lib.raw_ops.VariableV2(shape=[], dtype=lib.float32, name="v")

    assert_same(program)


def test_scopes_left_in_another_order() -> None:
    def left(lib: Any) -> str:
        graph = lib.Graph()
        outer = graph.device("/gpu:8")
        outer.__enter__()
        with graph.device("/gpu:9"), pytest.raises(RuntimeError) as caught:
            outer.__exit__(None, None, None)
        return str(caught.value)

    assert left(tf) == left(oracle)


@pytest.mark.parametrize("value", ["unknown", 0])
def test_colocation_with_what_becomes_a_tensor(value: Any) -> None:
    with tf.Graph().as_default() as graph:
        with graph.colocate_with(value):
            beside = tf.constant(1.0)
        made = graph.get_operations()[0]
    # TensorFlow takes it for a value, a string for no name.
    assert made.type == "Const"
    assert beside.op.colocation_groups() == [b"loc:@" + made.name.encode()]


def _by_name(op: Any) -> str:
    return "/device:CPU:*"


def _places(library: Any) -> Any:
    """What operations tell of the scopes that they were made in: lines from the first one on."""
    with library.Graph().as_default() as graph:
        bare = library.constant(0.0, name="bare")
        with library.device("/cpu"):
            with graph.device("/cpu:0"):
                two = library.constant(1.0)
            with library.device(_by_name), library.device(None):
                asked = library.constant(2.0)
                functions = graph._device_functions_outer_to_inner
            with library.colocate_with(bare), library.colocate_with(two):
                late = library.constant(3.0)
    told = [
        [(place.obj, place.filename, place.lineno) for place in made.op._device_assignments]
        for made in (bare, two, asked, late)
    ]
    others = {name: each.lineno for name, each in late.op._colocation_dict.items()}
    first = told[1][-1][2]
    lines = [[(shown, file, line - first) for shown, file, line in each] for each in told]
    merged = functions[0](two.op)
    devices = [merged if isinstance(merged, str) else merged.to_string(), *functions[1:]]
    return lines, {name: line - first for name, line in others.items()}, devices


def test_operations_tell_where_their_scopes_were_opened() -> None:
    ours = _places(tf)
    assert ours == _places(oracle)
    assert all(file == __file__ for place in ours[0] for _, file, _ in place)


def test_kernel_labels_are_noted() -> None:
    noted = []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph:
            with graph._kernel_label_map({"Identity": "a", "NoOp": "b"}):
                with graph._kernel_label_map({"Identity": ""}):
                    inner = library.identity(1.0)
                outer, other = library.identity(1.0), library.constant(1.0)
            labels = [each.op.node_def.attr["_kernel"].s for each in (inner, outer, other)]
            with pytest.raises(TypeError) as refusal, graph._kernel_label_map({"Identity": 1}):
                pass
            noted.append((labels, str(refusal.value)))
    assert noted[0] == noted[1]
    with tf.Graph().as_default() as graph, graph._kernel_label_map({"Square": "fast"}):
        labelled = tf.square(3.0)
        with tf.Session() as session:
            assert session.run(labelled) == 9.0


def test_a_graph_tells_its_insides_by_name() -> None:
    with tf.Graph().as_default() as graph:
        start = graph._last_id
        x = tf.constant(1.0, name="X")
        tf.identity(x, name="x")
    assert start == 0 and graph._last_id == 2
    assert [graph._nodes_by_id[number].name for number in (1, 2)] == ["X", "x_1"]
    with oracle.Graph().as_default() as theirs:
        oracle.identity(oracle.constant(1.0, name="X"), name="x")
    assert graph._names_in_use == theirs._names_in_use
    assert graph._as_graph_def() == (graph.as_graph_def(), 2)
    assert x.op._node_def == x.op.node_def and x.op._graph is graph
    assert graph._get_op_def("Square").name == "Square"
    with pytest.raises(KeyError):
        graph._get_op_def("NoSuchOp")
