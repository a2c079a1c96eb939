"""tensorflow.python.framework.test_util: comparing and changing the graphs of tests."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from google.protobuf import text_format

from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor
from dataflow.importing.import_graph import import_graph_def
from dataflow.ops.array.transpose import transpose
from dataflow.porting.spellings.framework.graph_internals import get_collection_proto_type
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.testing import equal_graphs

_CHANNELS_FIRST: Final = {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}
_CHANNELS_LAST: Final = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}


def assert_equal_graph_def(
    actual: GraphDef,
    expected: GraphDef,
    checkpoint_v2: bool = False,
    hash_table_shared_name: bool = False,
) -> None:
    """Two GraphDefs have the same nodes, in any order.

    Args:
      actual: One.
      expected: The other.
      checkpoint_v2: Whether file names that Savers make up do not count.
      hash_table_shared_name: Whether names that tables make up do not count.

    Raises:
      AssertionError: They differ.
      TypeError: One is no GraphDef.
    """
    equal_graphs.assert_equal_graph_def(
        _cleaned(actual, checkpoint_v2, hash_table_shared_name),
        _cleaned(expected, checkpoint_v2, hash_table_shared_name),
    )


assert_equal_graph_def_v1 = assert_equal_graph_def


def assert_equal_graph_def_v2(expected: GraphDef, actual: GraphDef) -> None:
    """`assert_equal_graph_def`, where no made-up names count."""
    assert_equal_graph_def(actual, expected, True, True)


def assert_meta_graph_protos_equal(tester: Any, a: MetaGraphDef, b: MetaGraphDef) -> None:
    """Two MetaGraphs say the same, nodes in any order; names that Savers make up do not count.

    Args:
      tester: The test, whose assertions are used.
      a: One, which loses its graph and collections.
      b: The other, likewise.
    """
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    for key in a.collection_def:
        kind = get_collection_proto_type(key)
        one, other = (
            [kind.FromString(item) for item in found.bytes_list.value] if kind else [found]
            for found in (a.collection_def[key], b.collection_def[key])
        )
        tester.assertEqual(len(one), len(other))
        for mine, theirs in zip(one, other, strict=True):
            tester.assertProtoEquals(mine, theirs)
    assert_equal_graph_def(a.graph_def, b.graph_def, checkpoint_v2=True)
    tester.assertProtoEquals(a.graph_def.versions, b.graph_def.versions)
    for message in (a, b):
        message.ClearField("collection_def")
        message.ClearField("graph_def")
    tester.assertProtoEquals(a, b)


def _cleaned(graph_def: Any, checkpoint_v2: bool, hash_table_shared_name: bool) -> Any:
    if not isinstance(graph_def, GraphDef):
        return graph_def
    cleaned = GraphDef()
    cleaned.CopyFrom(graph_def)
    for node in cleaned.node:
        strings = node.attr["value"].tensor.string_val if "value" in node.attr else ()
        if checkpoint_v2 and any(b"_temp_" in each and b"part" in each for each in strings):
            node.attr["value"].Clear()
        if hash_table_shared_name and node.op == "HashTableV2" and "shared_name" in node.attr:
            node.attr["shared_name"].Clear()
    return cleaned


def assert_ops_in_graph(expected_ops: Mapping[str, str], graph: Graph) -> dict[str, NodeDef]:
    """A graph has nodes of these names and types.

    Returns:
      They, by their names.

    Raises:
      ValueError: If not.
    """
    found = {}
    for node in graph.as_graph_def().node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError(
                    f"Expected op for node {node.name} is different. "
                    f"{expected_ops[node.name]} vs {node.op}"
                )
            found[node.name] = node
    if set(expected_ops) != set(found):
        raise ValueError(
            "Not all expected ops are present. Expected "
            f"{expected_ops.keys()}, found {found.keys()}"
        )
    return found


def get_node_def_from_graph(node_name: str, graph_def: GraphDef) -> NodeDef | None:
    """The node of a name, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def set_producer_version(graph: Graph, producer_version: int) -> None:
    """Makes an empty graph one that another version of TensorFlow has made."""
    graph_def = GraphDef()
    text_format.Merge(f"versions {{ producer: {producer_version} }}", graph_def)
    with graph.as_default():
        import_graph_def(graph_def)
    assert graph.graph_def_versions.producer == producer_version


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Channels before space: of a tensor of 4 or 5 dimensions, or of a list of their sizes."""
    return _turned(input_tensor, _CHANNELS_FIRST)


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Channels after space: of a tensor of 4 or 5 dimensions, or of a list of their sizes."""
    return _turned(input_tensor, _CHANNELS_LAST)


def _turned(value: Any, orders: Mapping[int, list[int]]) -> Any:
    if isinstance(value, Tensor):
        return transpose(value, orders[int(value.shape.rank or 0)])
    return [value[index] for index in orders[len(value)]]


def fft_kernel_label_map() -> Any:
    """A context in which tests of spectra take the kernels that there are."""
    return nullcontext()
