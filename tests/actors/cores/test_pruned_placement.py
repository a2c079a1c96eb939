"""Placement of each step's nodes alone: state stays where it is, the rest goes where it is used."""

from __future__ import annotations

import pytest

from dataflow.proto.config_pb2 import GraphOptions
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.actors.conftest import Sessions
from tests.actors.harness import GraphBuilder, cpu


def test_only_state_stays_where_an_earlier_step_put_it(
    sessions: Sessions, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = GraphBuilder()
    scalar = {"dtype": dtypes.float32, "shape": TensorShape([])}
    graph.add("VarHandleOp", "v", **scalar)
    graph.const("c", 2.0)
    graph.add("AssignVariableOp", "set", ["v", "c"], cpu(1), dtype=dtypes.float32)
    graph.add("ReadVariableOp", "read", ["v"], dtype=dtypes.float32)
    graph.add("TrialAdd", "here", ["c", "c"], cpu(0))
    graph.add("TrialAdd", "there", ["c", "c"], cpu(1))
    graph.add("TrialAdd", "sum", ["read", "c"], cpu(0))
    session = sessions.open(
        graph,
        cpus=2,
        log_device_placement=True,
        graph_options=GraphOptions(place_pruned_graph=True),
    )

    def placed() -> dict[str, str]:
        lines = capsys.readouterr().out.splitlines()
        found = [line.split(": ") for line in lines if line.count(": ") == 2]
        return {name: device[-5:] for name, _, device in found if not name.startswith("_")}

    placed()
    session.run(targets=["set"])
    assert placed() == {"v": "CPU:1", "c": "CPU:1", "set": "CPU:1"}
    assert session.run(["here"]) == [4]
    assert placed() == {"c": "CPU:0", "here": "CPU:0"}
    assert session.run(["there"]) == [4]
    assert placed() == {"c": "CPU:1", "there": "CPU:1"}
    assert session.run(["sum"]) == [4]
    assert placed() == {"v": "CPU:1", "read": "CPU:1", "c": "CPU:0", "sum": "CPU:0"}
