"""GraphDef to NodeGraph and back: the only door into the back end, so everything is checked here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataflow import attrs as attr_codec
from dataflow import node_validation as validation
from dataflow import opdef
from dataflow.dtypes import DType
from dataflow.errors import InvalidArgumentError
from dataflow.function_signature import op_def_from_proto
from dataflow.opdef import OpDef
from dataflow.passes.node_graph import Node, NodeGraph
from dataflow.passes.order import is_back_edge, order_by
from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef

_CLASS_PREFIX = b"loc:@"
