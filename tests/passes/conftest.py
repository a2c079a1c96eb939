"""Schemas for the passes' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dataflow.ops.flow.plumbing  # noqa: F401  (the schemas of what passes put into graphs)
from dataflow.proto.graph_pb2 import GraphDef
from tests.passes.op_set import BorrowedOps


@pytest.fixture(scope="package")
def _borrowed() -> Iterator[BorrowedOps]:
    ops = BorrowedOps()
    yield ops
    ops.give_back()


@pytest.fixture
def ops(_borrowed: BorrowedOps) -> BorrowedOps:
    """Defines ops that the library lacks, from TensorFlow's registry, for these tests only."""
    return _borrowed


@pytest.fixture(scope="package", autouse=True)
def _common_ops(_borrowed: BorrowedOps) -> None:
    _borrowed.define(
        *("Const", "Placeholder", "PlaceholderWithDefault", "Identity", "IdentityN", "NoOp"),
        *("Add", "AddV2", "Mul", "Sub", "MatMul", "Neg", "Split", "Pack", "Squeeze", "AvgPool"),
        *("Shape", "Size", "Rank", "LeakyRelu", "RandomUniform", "Fill", "Reciprocal", "Where"),
        *("VariableV2", "Assign", "AssignAdd", "VarHandleOp", "AssignVariableOp"),
        *("ReadVariableOp", "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"),
        *("Less", "PartitionedCall", "Unpack", "RiscPool", "EmptyTensorList"),
    )


@pytest.fixture
def imported(ops: BorrowedOps) -> Iterator[object]:
    """Makes a NodeGraph of a GraphDef after defining the ops in it."""
    from dataflow.passes.graphs.import_graph import import_graph

    def run(graph_def: GraphDef) -> object:
        ops.define(*{node.op for node in graph_def.node})
        return import_graph(graph_def)

    yield run
