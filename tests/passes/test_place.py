"""Placement: what TensorFlow's placer does on CPUs, and what it says of GPUs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from dataflow.errors import InternalError, InvalidArgumentError
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.placement.place import PlaceOptions, place
from dataflow.values import dtypes
from dataflow.values.device_info import DeviceInfo
from dataflow.values.shapes import TensorShape
from tests.passes import oracle
from tests.passes.building import (
    CPU_0,
    CPU_1,
    GPU_0,
    TASK,
    Nodes,
    assert_golden,
    devices,
    everywhere,
    no_kernels,
    read_golden,
)

CPU = "/device:CPU:%d"
_SCALAR = TensorShape([])


def _place(nodes: Nodes, *names: str, soft: bool = False, **options: Any) -> dict[str, str]:
    return place(
        nodes.graph(),
        devices(*(names or (CPU_0, CPU_1))),
        everywhere,
        no_kernels,
        PlaceOptions(allow_soft_placement=soft, **options),
    )


def _refusal(nodes: Nodes, *names: str, soft: bool = False) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        _place(nodes, *names, soft=soft)
    assert caught.value.node_def is not None
    return caught.value.message


def _variable(nodes: Nodes, name: str, device: str = "") -> str:
    return nodes.add("VariableV2", name, (), device, dtype=dtypes.float32, shape=_SCALAR)


def _handle(nodes: Nodes, name: str, device: str = "") -> str:
    return nodes.add(
        "VarHandleOp",
        name,
        (),
        device,
        dtype=dtypes.float32,
        shape=_SCALAR,
        shared_name=name.encode(),
    )


def _plain(nodes: Nodes) -> None:
    nodes.const("a", 1.0, device=CPU % 1)
    nodes.const("b", 2.0, device="/cpu:0")
    nodes.float_op("Add", "sum", "a", "b")
    nodes.float_op("Neg", "there", "sum", device=f"{TASK}/device:CPU:1")
    nodes.float_op("Neg", "any_cpu", "there", device="/device:CPU:*")


def _generators(nodes: Nodes) -> None:
    nodes.const("near", 1.0)
    nodes.const("split", 1.0)
    nodes.const("unused", 1.0)
    nodes.const("controlled", 1.0)
    nodes.float_op("Neg", "a", "near", device=CPU % 1)
    nodes.float_op("Neg", "b", "near", device=CPU % 1)
    nodes.float_op("Neg", "c", "split", device=CPU % 1)
    nodes.float_op("Neg", "d", "split")
    nodes.add("NoOp", "e", ["^controlled"], CPU % 1)


def _metadata(nodes: Nodes) -> None:
    nodes.const("a", [1.0, 2.0], device=CPU % 1)
    nodes.float_op("Neg", "n", "a", device=CPU % 1)
    for op in ("Shape", "Size", "Rank"):
        nodes.float_op(op, op, "n")
    nodes.float_op("Shape", "asked", "n", device=CPU % 0)
    nodes.add("Neg", "after", ["Shape"], T=dtypes.int32)


def _class_chain(nodes: Nodes) -> None:
    nodes.const("a", 1.0, device=CPU % 1)
    nodes.const("b", 1.0)
    nodes.graph_def.node[-1].attr["_class"].list.s.append(b"loc:@a")
    nodes.float_op("Neg", "c", "b", _class=(b"loc:@a",))
    nodes.float_op("Neg", "d", "c", _class=(b"loc:@b",))
    nodes.float_op("Neg", "e", "d", _class=(b"loc:@b",))
    nodes.float_op("Neg", "f", "e", _class=(b"loc:@e", b"loc:@a"))


def _references(nodes: Nodes) -> None:
    _variable(nodes, "v", CPU % 1)
    nodes.const("zero", 0.0, device=CPU % 0)
    nodes.float_op("Assign", "init", "v", "zero")
    nodes.float_op("Assign", "elsewhere", "v", "zero", device=CPU % 0)
    nodes.float_op("AssignAdd", "chained", "init", "zero")
    nodes.float_op("Identity", "read", "v", device=CPU % 0)
    nodes.float_op("Identity", "read_near", "v", _class=(b"loc:@v",))
    _variable(nodes, "w")
    nodes.float_op("Assign", "w_init", "w", "zero", device=CPU % 1)


def _resources(nodes: Nodes) -> None:
    nodes.const("zero", 0.0, device=CPU % 0)
    _handle(nodes, "v", CPU % 1)
    nodes.add("AssignVariableOp", "init", ["v", "zero"], dtype=dtypes.float32)
    nodes.add("AssignVariableOp", "elsewhere", ["v", "zero"], CPU % 0, dtype=dtypes.float32)
    _handle(nodes, "w")
    nodes.add("AssignVariableOp", "first", ["w", "zero"], CPU % 1, dtype=dtypes.float32)
    nodes.add("AssignVariableOp", "second", ["w", "zero"], CPU % 0, dtype=dtypes.float32)
    _handle(nodes, "u")
    nodes.add("AssignVariableOp", "u_init", ["u", "zero"], dtype=dtypes.float32)


def _identities(nodes: Nodes) -> None:
    nodes.const("zero", 0.0, device=CPU % 1)
    nodes.float_op("Neg", "near", "zero", _class=(b"loc:@zero",))
    nodes.float_op("Neg", "asked", "zero", device=CPU % 1)
    nodes.float_op("Identity", "alone", "near")
    nodes.float_op("Identity", "waited_for", "near")
    nodes.add("NoOp", "n", ["^waited_for"])
    nodes.float_op("Identity", "used_twice", "near")
    nodes.float_op("Add", "twice", "used_twice", "used_twice")
    nodes.float_op("Identity", "waits", "near", "^n")
    nodes.float_op("Identity", "user_elsewhere", "near")
    nodes.float_op("Neg", "elsewhere", "user_elsewhere", device=CPU % 1)
    nodes.float_op("Identity", "of_asked", "asked")
    nodes.float_op("Identity", "between_asked", "asked")
    nodes.float_op("Neg", "asked_too", "between_asked", device=CPU % 1)


@pytest.mark.parametrize(
    "build", [_plain, _generators, _metadata, _class_chain, _references, _resources, _identities]
)
def test_placed_as_by_tensorflow(build: Any) -> None:
    nodes = Nodes()
    build(nodes)
    targets = [node.name for node in nodes.graph_def.node]
    first = [name for name in targets if name.endswith(("init", "first"))]
    theirs = oracle.partitions(nodes.graph_def, 2, [], targets, first=first)
    wanted = {
        node.name: device
        for device, part in theirs.by_device.items()
        for node in part.node
        if node.name in targets
    }
    # TensorFlow duplicates small constants that are used on several devices.
    ours = _place(nodes)
    assert set(ours) == set(targets) and set(targets) - set(wanted) <= {"zero", "split"}
    assert {name: ours[name] for name in wanted} == wanted


_IMPOSSIBLE = {
    "no such device": [("Const", "c", "/device:GPU:0", ())],
    "no such index": [("Const", "c", "/device:CPU:7", ())],
    "no such job": [("Const", "c", "/job:ps/task:3", ())],
    "other index colocated": [("Const", "a", CPU % 1, ()), ("Const", "b", CPU % 0, ("a",))],
    "other type colocated": [("Const", "a", CPU % 1, ()), ("Const", "b", "/gpu:0", ("a",))],
    "other job colocated": [("Const", "a", "/job:w", ()), ("Const", "b", "/job:ps", ("a",))],
    "other replica colocated": [
        ("Const", "a", "/replica:0", ()),
        ("Const", "b", "/replica:1", ("a",)),
    ],
    "other task colocated": [("Const", "a", "/task:0", ()), ("Const", "b", "/task:1", ("a",))],
    "merged to nothing": [("Const", "a", CPU % 1, ()), ("Const", "b", "/job:ps", ("a",))],
    "nothing asked": [("Const", "a", "", ()), ("Const", "b", "/device:GPU:0", ("a",))],
}


def _impossible(case: str) -> Nodes:
    nodes = Nodes()
    for _, name, device, groups in _IMPOSSIBLE[case]:
        nodes.const(name, 1.0, device=device)
        if groups:
            found = nodes.graph_def.node[-1].attr["_class"].list.s
            found.extend(f"loc:@{group}".encode() for group in groups)
    return nodes


def _plainly(message: str) -> str:
    """The message without TensorFlow's own internals and build."""
    message = re.sub(r"Root Member\(.*\n", "", message)
    message = message.replace(
        " The requested device appears to be a GPU, but CUDA is not enabled.", ""
    )
    return re.sub(r"\[\[(\{\{node )?(\w+)(\}\})?\]\]", r"[[\2]]", message)


@pytest.mark.parametrize("case", _IMPOSSIBLE)
def test_refused_in_tensorflows_words(case: str) -> None:
    nodes = _impossible(case)
    theirs = oracle.placement_error(nodes.graph_def)
    assert theirs
    assert _plainly(_refusal(nodes)) == _plainly(theirs)


@pytest.mark.parametrize("case", _IMPOSSIBLE)
def test_soft_placement_as_in_tensorflow(case: str) -> None:
    nodes = _impossible(case)
    theirs = oracle.placement_error(nodes.graph_def, soft=True)
    if theirs:
        assert _plainly(_refusal(nodes, soft=True)) == _plainly(theirs)
    else:
        assert set(_place(nodes, soft=True).values()) == {CPU_0}


def test_no_kernel_at_all_in_tensorflows_words() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    # Declared in every TensorFlow, for a compiler that takes other ops in its place.
    nodes.float_op("RiscPool", "n", "a", ksize=[1] * 4, strides=[2] * 4, pooling_type=b"MAX")

    def supports(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
        return op != "RiscPool"

    with pytest.raises(InvalidArgumentError) as caught:
        place(nodes.graph(), devices(CPU_0, CPU_1), supports, no_kernels)

    def in_order(message: str) -> list[str]:
        return sorted(re.split(r"[\[\], ]+", _plainly(message)))

    theirs = oracle.placement_error(nodes.graph_def)
    assert theirs and theirs.startswith("No OpKernel was registered to support Op 'RiscPool'")
    assert in_order(caught.value.message) == in_order(theirs)


def test_no_kernel_for_what_was_asked_lists_the_kernels() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0, device="/device:GPU:0")

    def on_cpu(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
        return device_type == "CPU"

    def describe(op: str) -> list[str]:
        return ["device='CPU'; dtype in [DT_FLOAT]", "device='XPU'"]

    graph = nodes.graph()
    graph.node(2).created_at = "train.py:12"
    with pytest.raises(InvalidArgumentError) as caught:
        place(graph, devices(CPU_0, GPU_0), on_cpu, describe)
    assert caught.value.message == (
        "Cannot assign a device for operation a: Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\n"
        "Colocation Debug Info:\n"
        "Colocation group had the following types and supported devices: \n"
        "Const: CPU \n\n"
        "Colocation members, user-requested devices, and framework assigned devices, if any:\n"
        "  a (Const) /device:GPU:0\n\n"
        "Registered kernels:\n"
        "  device='CPU'; dtype in [DT_FLOAT]\n"
        "  device='XPU'\n"
        "\nNode 'a' was created at train.py:12."
        "\n\t [[{{node a}}]]"
    )
    assert place(graph, devices(CPU_0, GPU_0), on_cpu, describe, PlaceOptions(True)) == {"a": CPU_0}


def test_no_device_type_for_a_whole_group() -> None:
    nodes = Nodes()
    _variable(nodes, "v")
    nodes.const("a", 1.0)
    nodes.float_op("Assign", "set", "v", "a")

    def apart(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
        return op == "Const" or (op == "Assign") == (device_type == "GPU")

    with pytest.raises(InvalidArgumentError) as caught:
        place(nodes.graph(), devices(CPU_0, GPU_0), apart, no_kernels)
    message = caught.value.message
    assert "Cannot colocate nodes {{colocation_node v}} and {{colocation_node set}}" in message
    assert "because no device type supports both" in message
    assert "VariableV2: CPU" in message and "Assign: GPU" in message


def _gpu_kernels(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
    return device_type == "CPU" or attrs.get("T") is dtypes.float32


def test_the_best_device_that_has_a_kernel() -> None:
    nodes = Nodes()
    nodes.const("f", [1.0])
    nodes.const("i", np.int32(1))
    nodes.float_op("Neg", "f_neg", "f")
    nodes.add("Neg", "i_neg", ["i"], T=dtypes.int32)
    placed = place(nodes.graph(), devices(CPU_0, CPU_1, GPU_0), _gpu_kernels, no_kernels)
    assert placed == {"f": CPU_0, "i": CPU_0, "f_neg": GPU_0, "i_neg": CPU_0}


def test_a_generator_follows_its_consumers_only_where_it_has_a_kernel() -> None:
    nodes = Nodes()
    nodes.const("f", [1.0])
    nodes.float_op("Neg", "f_neg", "f", device="/gpu:0")

    def no_constants(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
        return device_type == "CPU" or op != "Const"

    graph = nodes.graph()
    assert place(graph, devices(CPU_0, GPU_0), no_constants, no_kernels)["f"] == CPU_0
    assert place(graph, devices(CPU_0, GPU_0), everywhere, no_kernels)["f"] == GPU_0


def test_device_types_are_open() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.float_op("Neg", "b", "a", device="/device:FPGA:0")
    nodes.float_op("Neg", "c", "b")
    fpga = f"{TASK}/device:FPGA:0"
    available = [DeviceInfo(fpga, "FPGA", priority=1000), *devices(CPU_0, GPU_0)]
    assert set(place(nodes.graph(), available, everywhere, no_kernels).values()) == {fpga}
    slow = [DeviceInfo(fpga, "FPGA", priority=10), *devices(CPU_0, GPU_0)]
    placed = place(nodes.graph(), slow, everywhere, no_kernels)
    assert placed == {"a": fpga, "b": fpga, "c": GPU_0}


def test_the_clients_task_comes_first_among_equals() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    nodes.const("b", 1.0, device="/job:ps")
    nodes.const("c", 1.0, device="/cpu:10")
    cluster = [
        f"/job:{job}/replica:0/task:{task}/device:CPU:{index}"
        for job, task, index in (("ps", 1, 0), ("ps", 0, 0), ("w", 1, 10), ("w", 1, 2), ("w", 0, 0))
    ]
    client = "/job:w/replica:0/task:1/device:CPU:2"
    placed = _place(nodes, *cluster, default_device=client)
    assert placed == {
        "a": client,
        "b": "/job:ps/replica:0/task:0/device:CPU:0",
        "c": "/job:w/replica:0/task:1/device:CPU:10",
    }
    assert _place(nodes, *cluster)["a"] == "/job:ps/replica:0/task:0/device:CPU:0"


def test_the_task_that_wrote_a_graph_asks_for_a_device_only() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0, device=f"{TASK}/device:CPU:1")
    there = ["/job:w/replica:0/task:1/device:CPU:0", "/job:w/replica:0/task:1/device:CPU:1"]
    assert _place(nodes, *there) == {"a": there[1]}
    assert "CPU:1" in _refusal(nodes, there[0])
    # Where the job exists, its tasks are meant.
    elsewhere = "/job:localhost/replica:0/task:1/device:CPU:1"
    assert TASK in _refusal(nodes, there[1], elsewhere)


def test_placed_nodes_stay_and_draw_their_group() -> None:
    nodes = Nodes()
    _variable(nodes, "v")
    nodes.const("a", 1.0)
    nodes.float_op("Assign", "set", "v", "a")
    graph = nodes.graph()
    both = devices(CPU_0, CPU_1)
    fixed = place(graph, both, everywhere, no_kernels, fixed={"v": CPU_1})
    assert fixed == {"v": CPU_1, "a": CPU_1, "set": CPU_1}
    graph.assign({"v": CPU_1})
    assert place(graph, both, everywhere, no_kernels) == fixed
    with pytest.raises(InvalidArgumentError, match="placed on different devices"):
        place(graph, both, everywhere, no_kernels, fixed={"set": CPU_0})


def test_the_systems_nodes_need_no_kernel() -> None:
    nodes = Nodes()
    nodes.add("_Arg", "arg", (), "/cpu:1", T=dtypes.float32, index=0)
    nodes.add("_Retval", "ret", ["arg"], T=dtypes.float32, index=0, _class=(b"loc:@arg",))
    graph = import_graph(nodes.graph_def, partition=True)
    for node in graph.nodes():
        node.assigned_device = ""
    placed = place(graph, devices(CPU_0, CPU_1), lambda *_: False, no_kernels)
    assert placed == {"arg": CPU_1, "ret": CPU_1}


def test_no_devices() -> None:
    nodes = Nodes()
    nodes.const("a", 1.0)
    with pytest.raises(InternalError, match="No devices are registered"):
        place(nodes.graph(), [], everywhere, no_kernels)


def test_golden_colocation() -> None:
    # v is on CPU:1 as asked; its Assign goes there though it asks for CPU:0, the constant follows
    # its only consumer, the read is where it asks to be, and the rest is on the default CPU:0.
    graph = import_graph(read_golden("place_colocation"))
    graph.assign(place(graph, devices(CPU_0, CPU_1), everywhere, no_kernels))
    assert_golden(graph, "place_colocation_out")


def test_a_deep_chain_of_references() -> None:
    nodes = Nodes()
    _variable(nodes, "v", CPU % 1)
    nodes.const("a", 1.0)
    last = "v"
    for index in range(20_000):
        last = nodes.float_op("AssignAdd", f"n{index}", last, "a")
    placed = _place(nodes)
    assert set(placed.values()) == {CPU_1}
