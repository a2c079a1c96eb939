"""A device type from outside: its own arrays, a handful of kernels, its own transfer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.devices.device_type import DeviceType
from dataflow.actors.devices.registry import (
    find_device_type,
    register_device_type,
    unregister_device_type,
)
from dataflow.actors.direct import DirectRuntime
from dataflow.kernels.contract import registry
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.schema import opdef
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, define_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.actors.harness import GraphBuilder, Session, Sessions, cpu


class Tile:
    """An array of the trial device: nothing of numpy's works on it."""

    def __init__(self, data: Any, index: int) -> None:
        self.data = np.array(data)
        self.index = index
        self.dtype = self.data.dtype
        self.shape = self.data.shape

    __array__ = None


class Copies:
    """Counts what was carried where."""

    def __init__(self) -> None:
        self.to_device: list[int] = []
        self.to_host = 0
        self.transfers: list[tuple[int, int]] = []
        self.active: list[int] = []
        self.synchronized: list[int] = []


def _trial_type(copies: Copies) -> DeviceType:
    def to_device(value: Any, index: int) -> Tile:
        assert isinstance(value, (np.ndarray, np.generic))
        copies.to_device.append(index)
        return Tile(value, index)

    def to_host(value: Any) -> Any:
        if not isinstance(value, Tile):
            return value
        copies.to_host += 1
        return value.data.copy()

    def transfer(value: Tile, source: int, destination: int) -> Tile:
        assert value.index == source
        copies.transfers.append((source, destination))
        return Tile(value.data, destination)

    @contextmanager
    def activate(index: int) -> Iterator[None]:
        copies.active.append(index)
        yield
        copies.active.pop()

    return DeviceType(
        name="TRIAL",
        count=lambda: 2,
        priority=500,
        load_kernels=lambda: _register_kernels(copies),
        to_device=to_device,
        to_host=to_host,
        transfer=transfer,
        activate=activate,
        synchronize=copies.synchronized.append,
    )


def _register_kernels(copies: Copies) -> None:
    def on_tiles(function: Any) -> Any:
        def run(*inputs: Any) -> Tile:
            (index,) = {tile.index for tile in inputs}
            assert copies.active[-1] == index
            return Tile(function(*(tile.data for tile in inputs)), index)

        return run

    @kernel("TrialAdd", device="TRIAL")
    def add(node: KernelNode, xp: Any) -> Any:
        # Of int32 there are no tiles: it is numpy's business on every device.
        return np.add if node.attr("T") is dtypes.int32 else on_tiles(np.add)

    @kernel("TrialNegate", device="TRIAL")
    def negate(node: KernelNode, xp: Any) -> Any:
        return on_tiles(np.negative)

    @kernel("TrialSizes", device="TRIAL", host_outputs=("sizes",))
    def sizes(node: KernelNode, xp: Any) -> Any:
        def run(a: Tile) -> Any:
            assert isinstance(a, Tile)
            return np.array(a.shape, np.int64)

        return run

    @kernel("TrialReshape", device="TRIAL", host_inputs=("sizes",))
    def reshape(node: KernelNode, xp: Any) -> Any:
        def run(a: Tile, sizes: Any) -> Tile:
            assert isinstance(sizes, np.ndarray)
            return Tile(a.data.reshape(sizes), a.index)

        return run

    @kernel("TrialVariable", device="TRIAL")
    def variable(node: KernelNode, xp: Any) -> Any:
        create = lambda: Variable(node.name, node.attr("T"))  # noqa: E731
        return lambda: node.resources.lookup_or_create("", node.name, Variable, create)

    @kernel("TrialAssign", device="TRIAL")
    def assign(node: KernelNode, xp: Any) -> Any:
        def run(cell: Variable, value: Any) -> Variable:
            assert isinstance(value, Tile)
            cell.value = value
            return cell

        return run


@pytest.fixture
def copies() -> Iterator[Copies]:
    """The trial type is registered during a test."""
    for name, inputs, outputs in (
        ("TrialSizes", "a: T", "sizes: int64"),
        ("TrialReshape", "a: T, sizes: int64", "c: T"),
    ):
        define_op(
            name,
            inputs=inputs,
            outputs=outputs,
            attrs=["T: type"],
            shape=lambda c: TensorShape.of(None),
            gradient=NOT_DIFFERENTIABLE,
            doc="For tests.",
        )
    counted = Copies()
    register_device_type(_trial_type(counted))
    yield counted
    unregister_device_type("TRIAL")
    for key in [k for k in registry._KERNELS if k[1] == "TRIAL"]:
        del registry._KERNELS[key]
    for name in ("TrialSizes", "TrialReshape"):
        del opdef._OPS[name]
        del opdef._GRADIENTS[name]


def _trial(index: int) -> str:
    return f"/device:TRIAL:{index}"


def test_a_graph_is_placed_split_and_run(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x", cpu(0))
    graph.const("c", [1.0, 2.0])
    graph.add("TrialAdd", "a", ["x", "c"], _trial(0))
    graph.add("TrialNegate", "b", ["a"], _trial(1))
    graph.add("TrialMultiply", "d", ["a", "b"])  # There is only a kernel for CPU.
    graph.add("TrialAdd", "y", ["d", "b"], _trial(1))
    session = sessions.open(graph, cpus=1)
    step = session.step(["y", "a", "d"], ["x"])
    x = np.array([3, 4], np.float32)
    a = x + np.array([1, 2], np.float32)
    for _ in range(4):
        copies.transfers.clear()
        y, fetched_a, d = step([x])
        np.testing.assert_array_equal(fetched_a, a)
        np.testing.assert_array_equal(d, a * -a)
        np.testing.assert_array_equal(y, a * -a - a)
        assert type(y) is type(fetched_a) is np.ndarray
        assert copies.transfers == [(0, 1)]
    assert {0, 1} <= set(copies.synchronized)
    assert copies.active == []


def test_feeds_constants_and_fetches_are_carried(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x", cpu(0))
    graph.const("c", 2.0)
    graph.add("TrialAdd", "y", ["x", "c"], _trial(1))
    session = sessions.open(graph)
    assert session.run(["y"], {"x": 3.0}) == [5]
    assert set(copies.to_device) == {1}
    assert copies.to_host == 1


def test_unconstrained_nodes_prefer_the_type_of_higher_priority(
    sessions: Sessions, copies: Copies, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialNegate", "y", ["x"])
    graph.add("TrialMultiply", "z", ["x", "y"])
    session = sessions.open(graph, log_device_placement=True)
    assert session.run(["z"], {"x": 3.0}) == [-9]
    shown = capsys.readouterr().out
    assert "y: (TrialNegate): /job:localhost/replica:0/task:0/device:TRIAL:0" in shown
    assert "z: (TrialMultiply): /job:localhost/replica:0/task:0/device:CPU:0" in shown


def test_int32_stays_in_host_memory(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("n", dtype=dtypes.int32)
    graph.add("TrialAdd", "twice", ["n", "n"], _trial(0), T=dtypes.int32)
    graph.add("TrialAdd", "more", ["twice", "n"], _trial(1), T=dtypes.int32)
    session = sessions.open(graph)
    step = session.step(["more"], ["n"])
    for _ in range(4):
        (value,) = step([np.array([1, 2], np.int32)])
        np.testing.assert_array_equal(value, [3, 6])
    assert copies.to_device == copies.transfers == []
    assert copies.to_host == 0


def test_declared_host_arguments(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x", cpu(0))
    graph.placeholder("like", cpu(0))
    graph.add("TrialSizes", "sizes", ["like"], _trial(0))
    graph.add("TrialReshape", "here", ["x", "sizes"], _trial(0))
    graph.add("TrialReshape", "there", ["x", "sizes"], _trial(1))
    graph.add("TrialAdd", "sum", ["sizes", "sizes"], _trial(0), T=dtypes.int64)
    session = sessions.open(graph)
    step = session.step(["here", "there", "sum", "sizes"], ["x", "like"])
    x = np.arange(6, dtype=np.float32)
    for _ in range(4):
        here, there, total, sizes = step([x, np.zeros((2, 3), np.float32)])
        np.testing.assert_array_equal(here, x.reshape(2, 3))
        np.testing.assert_array_equal(there, x.reshape(2, 3))
        np.testing.assert_array_equal(total, [4, 6])
        np.testing.assert_array_equal(sizes, [2, 3])


def test_variables_hold_the_devices_arrays(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.add("TrialVariable", "W", device=_trial(1))
    graph.add("TrialAssign", "init", ["W", "x"])
    graph.add("TrialNegate", "read", ["W"], _trial(1))
    session = sessions.open(graph)
    with pytest.raises(errors.FailedPreconditionError, match="uninitialized value W"):
        session.run(["W"])
    session.run([], {"x": [1.0, 2.0]}, ["init"])
    before = len(copies.to_device)
    np.testing.assert_array_equal(session.run(["W"])[0], [1, 2])
    np.testing.assert_array_equal(session.run(["read"])[0], [-1, -2])
    assert len(copies.to_device) == before


def test_control_edges_reach_the_device(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x", cpu(0))
    graph.add("TrialNote", "note", ["x"], cpu(0))
    graph.add("TrialNegate", "a", ["x", "^note"], _trial(0))
    graph.add("TrialNote", "last", ["x", "^a"], cpu(0))
    session = sessions.open(graph)
    assert session.run(["a"], {"x": 1.0}, ["last"]) == [-1]


def test_an_error_describes_the_devices_arrays(sessions: Sessions, copies: Copies) -> None:
    graph = GraphBuilder()
    graph.placeholder("x")
    graph.placeholder("z")
    graph.add("TrialAdd", "y", ["x", "z"], _trial(0))
    session = sessions.open(graph)
    with pytest.raises(errors.InvalidArgumentError) as caught:
        session.run(["y"], {"x": np.zeros(2, np.float32), "z": np.zeros((3, 1, 3), np.float32)})
    assert "inputs: float32[2], float32[3,1,3]" in caught.value.message
    assert "device:TRIAL:0" in caught.value.message


def test_the_number_of_devices_is_bounded(copies: Copies) -> None:
    def found(config: ConfigProto) -> list[str]:
        session = Session(DirectRuntime(config), config)
        listed = session.runtime.list_devices(session.handle)
        session.close()
        return [d.name[-7:] for d in listed if d.device_type == "TRIAL"]

    assert found(ConfigProto()) == ["TRIAL:0", "TRIAL:1"]
    assert found(ConfigProto(device_count={"TRIAL": 1})) == ["TRIAL:0"]
    assert found(ConfigProto(device_count={"TRIAL": 7})) == ["TRIAL:0", "TRIAL:1"]
    assert found(ConfigProto(device_count={"TRIAL": 0})) == []


def test_a_name_is_registered_once(copies: Copies) -> None:
    with pytest.raises(errors.AlreadyExistsError, match="TRIAL"):
        register_device_type(_trial_type(copies))
    with pytest.raises(errors.NotFoundError, match=r"No device type 'NONE'; there are: .*TRIAL"):
        find_device_type("NONE")
