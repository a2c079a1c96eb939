"""Shapes that a compiled graph proves, inferred where a pass asks for them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import numpy as np

from dataflow.passes.algebra.symbolic_shapes import (
    Dims,
    batch_product_dims,
    broadcast_dims,
    product_dims,
    reduced_dims,
    reshaped_dims,
    to_shape,
)
from dataflow.passes.graphs.node_graph import Edge, Node
from dataflow.passes.graphs.system_ops import LOWERED
from dataflow.schema import shape_functions
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

FED_SHAPE: Final = "_shape"
"""Attr of an `_Arg`: the static shape that every value of the feed has been checked against."""

_STATEFUL_WITH_SHAPES: Final = frozenset(
    {
        *("VariableV2", "Variable", "RandomShuffle", "RandomUniformInt", "Multinomial"),
        *("RandomUniform", "RandomStandardNormal", "TruncatedNormal"),
    }
)
"""Among the stateful ops. An update of a resource variable may have any shape."""
_DRAWS: Final = frozenset({"RandomUniform", "RandomStandardNormal", "TruncatedNormal"})
_VARIABLES: Final = frozenset({"VariableV2", "Variable"})
_OPAQUE: Final = frozenset({"Merge", "RefMerge", "NextIteration", "RefNextIteration", "_Recv"})
"""Their shapes depend on more than what comes before them, or are not to be known here."""
_PRODUCTS: Final = frozenset({"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"})
_REDUCTIONS: Final = frozenset({"Sum", "Mean", "Prod", "Max", "Min", "Any", "All"})
_SAME: Final = frozenset(
    {
        *("BiasAdd", "BiasAddV1", "Softmax", "LogSoftmax", "ReluGrad", "TanhGrad", "SigmoidGrad"),
        *("Identity", "StopGradient", "PreventGradient", "Enter", "Exit", "Cast", "ZerosLike"),
    }
)
_MAX_VECTOR: Final = 64
"""Elements of a constant that may be a shape."""


class StaticShapes:
    """The static shapes of a graph's tensors.

    A size that is not known is a symbol, a number below -1: the same symbol means the same size.
    Shapes stay true while the graph is rewritten, as long as each tensor keeps its value.
    """

    __slots__ = ("_known", "_symbols", "_unproven")

    def __init__(self, unproven: Collection[str] = ()) -> None:
        """Knows nothing yet.

        Args:
          unproven: Names of variables that may hold values of other shapes than they declare.
        """
        self._known: dict[Node, Sequence[Dims]] = {}
        self._symbols: Iterator[int] = itertools.count(-2, -1)
        self._unproven = unproven

    def of(self, edge: Edge) -> Dims:
        """Sizes of the tensor that an edge carries; None if its rank is not known."""
        known = self._known.get(edge.src)
        if known is None:
            known = self._infer_all(edge.src)
        return known[edge.src_output]

    def vector(self, edge: Edge, depth: int = 8) -> Dims:
        """Elements of an integer vector as far as they are known, None for one that is not.

        An element that is a size is that size or its symbol. Elements below zero are not told
        apart from symbols: then the whole is None, but for -1.
        """
        node = edge.src
        if node.op == "Const":
            return _vector_of(node.attrs["value"])
        if node.op in ("Shape", "ShapeN"):
            return self.of(node.data_edges()[edge.src_output])
        if depth == 0:
            return None
        if node.op == "Identity" or (node.op == "Cast" and _is_index_cast(node)):
            return self.vector(node.data_edges()[0], depth - 1)
        if node.op == "Pack":
            return self._packed(node, depth)
        if node.op == "ConcatV2":
            joined: list[int] = []
            for part in node.data_edges()[:-1]:
                elements = self.vector(part, depth - 1)
                if elements is None:
                    return None
                joined += elements
            return tuple(joined)
        if node.op == "StridedSlice":
            return self._slice(node, depth)
        return None

    def number(self, edge: Edge, depth: int = 8) -> int | None:
        """An integer scalar, or the symbol of the size it is; None if nothing is known."""
        node = edge.src
        if node.op == "Const":
            value = node.attrs["value"]
            if value.shape or value.dtype.kind not in "iu" or int(value) < -1:
                return None
            return int(value)
        if depth == 0:
            return None
        if node.op == "StridedSlice" and node.attrs["shrink_axis_mask"] == 1:
            source, begin, *_ = node.data_edges()
            sizes, start = self.vector(source, depth - 1), self.vector(begin, depth - 1)
            if sizes is None or start is None or len(start) != 1:
                return None
            return sizes[start[0]] if -1 <= start[0] < len(sizes) else None
        if node.op == "Identity" or (node.op == "Cast" and _is_index_cast(node)):
            return self.number(node.data_edges()[0], depth - 1)
        return None

    def _packed(self, node: Node, depth: int) -> Dims:
        """A vector of scalars."""
        edges = node.data_edges()
        if any(self.of(edge) != () for edge in edges):
            return None
        found = [self.number(edge, depth - 1) for edge in edges]
        return tuple(self._fresh() if n is None else n for n in found)

    def _slice(self, node: Node, depth: int) -> Dims:
        """A window of a vector."""
        attrs = node.attrs
        masks = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
        if any(attrs[name] for name in masks):
            return None
        source, *bounds = node.data_edges()
        found = [_vector_of(e.src.attrs["value"]) for e in bounds if e.src.op == "Const"]
        if len(found) < 3 or any(bound is None or len(bound) != 1 for bound in found):
            return None
        sizes = self.vector(source, depth - 1)
        if sizes is None:
            return None
        begin, end, step = (bound[0] for bound in found if bound is not None)
        if step == 0:
            return None
        first = None if attrs["begin_mask"] else begin
        last = None if attrs["end_mask"] else end
        return sizes[first:last:step]

    def _fresh(self) -> int:
        return next(self._symbols)

    def _infer_all(self, wanted: Node) -> Sequence[Dims]:
        """Infers a node after all that its shapes follow from."""
        known = self._known
        stack = [wanted]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            if node.op in _OPAQUE:
                known[node] = self._nothing(node)
                continue
            before = [e.src for e in node.in_edges if e.dst_input >= 0 and e.src not in known]
            if before:
                stack.extend(before)
            else:
                known[node] = self._infer(node)
        return known[wanted]

    @staticmethod
    def _nothing(node: Node) -> Sequence[Dims]:
        return (None,) * len(node.output_types)

    def _infer(self, node: Node) -> Sequence[Dims]:
        op = node.op
        if op == "Const":
            return (node.attrs["value"].shape,)
        if op == "_Arg":
            return (self._named(node.attrs.get(FED_SHAPE)),)
        if node.op_def.is_stateful and op not in _STATEFUL_WITH_SHAPES:
            return self._nothing(node)
        if op.startswith(("TensorList", "TensorArray")) or LOWERED in node.attrs:
            return self._nothing(node)
        if op in _VARIABLES and (node.name in self._unproven or _is_shared(node)):
            return self._nothing(node)
        edges = node.data_edges()
        inputs = [self._known[edge.src][edge.src_output] for edge in edges]
        try:
            dims = self._by_rule(node, edges, inputs)
            if dims is not None:
                return (dims,)
            return self._by_function(node, edges, inputs)
        except (ValueError, TypeError, IndexError, KeyError):
            # The step will say what does not fit.
            return self._nothing(node)

    def _by_rule(self, node: Node, edges: Sequence[Edge], inputs: Sequence[Dims]) -> Dims:
        """Where symbols go; None where only the op's own shape function tells."""
        op, function = node.op, node.op_def.shape_function
        if function is shape_functions.broadcast:
            return broadcast_dims(inputs[0], inputs[1], self._fresh)
        if function is shape_functions.unchanged or op in _SAME:
            return inputs[0]
        if function is shape_functions.merged_inputs:
            return min(inputs, key=_num_unknown)
        if op == "MatMul":
            return product_dims(inputs[0], inputs[1], node.attrs)
        if op in _PRODUCTS:
            return batch_product_dims(inputs[0], inputs[1], node.attrs, self._fresh)
        if op in _REDUCTIONS:
            return reduced_dims(inputs[0], self.vector(edges[1]), node.attrs["keep_dims"])
        if op == "Reshape":
            return reshaped_dims(inputs[0], self.vector(edges[1]), self._fresh)
        if op in ("Fill", "BroadcastTo") or op in _DRAWS:
            target = self.vector(edges[1 if op == "BroadcastTo" else 0])
            return None if target is None or -1 in target else target
        if op == "Transpose" and inputs[0] is not None:
            order = self.vector(edges[1])
            if order is not None and sorted(order) == list(range(len(inputs[0]))):
                return tuple(inputs[0][axis] for axis in order)
        return None

    def _by_function(
        self, node: Node, edges: Sequence[Edge], inputs: Sequence[Dims]
    ) -> Sequence[Dims]:
        shapes = node.op_def.shape_function(_Context(self, node, edges, inputs))
        if isinstance(shapes, TensorShape):
            return (self._named(shapes),)
        return tuple(map(self._named, shapes))

    def _named(self, shape: TensorShape | None) -> Dims:
        """The sizes of a shape, with new symbols for those that are not known."""
        dims = None if shape is None else shape.dims_tuple
        if dims is None:
            return None
        return tuple(self._fresh() if n is None else n for n in dims)


class _Context:
    """What a shape function sees of a node; see `opdef.InferenceContext`."""

    __slots__ = ("_edges", "_inputs", "_node", "_shapes")

    def __init__(
        self,
        shapes: StaticShapes,
        node: Node,
        edges: Sequence[Edge],
        inputs: Sequence[Dims],
    ) -> None:
        self._shapes = shapes
        self._node = node
        self._edges = edges
        self._inputs = inputs

    @property
    def name(self) -> str:
        """The node's name."""
        return self._node.name

    @property
    def num_inputs(self) -> int:
        """Number of input tensors."""
        return len(self._inputs)

    @property
    def num_outputs(self) -> int:
        """Number of output tensors."""
        return len(self._node.output_types)

    def input(self, index: int) -> TensorShape:
        """Static shape of an input."""
        return to_shape(self._inputs[index])

    def input_dtype(self, index: int) -> DType:
        """Element type of an input, never a ref type."""
        return self._edges[index].dtype.base_dtype

    def attr(self, name: str) -> Any:
        """Decoded value of an attr."""
        try:
            return self._node.attrs[name]
        except KeyError:
            return self._node.op_def.attr_by_name[name].default

    def constant(self, index: int) -> np.ndarray | None:
        """Value of an input that is a constant."""
        node = self._edges[index].src
        if node.op == "Const":
            value: np.ndarray = node.attrs["value"]
            return value
        found = self._shapes.vector(self._edges[index])
        if found is None or any(n < 0 for n in found):
            return None
        return np.array(found, self.input_dtype(index).as_numpy_dtype)

    def constant_as_shape(self, index: int) -> TensorShape:
        """An input read as a shape, as far as it is known."""
        return to_shape(self._shapes.vector(self._edges[index]))

    def input_handle(self, index: int) -> Any:
        """Nothing is known of what a resource refers to."""
        return None

    def set_output_handle(self, index: int, data: Any) -> None:
        """Takes no note: see `input_handle`."""


def _is_shared(node: Node) -> bool:
    """True if nodes of another name may write to the variable."""
    return bool(node.attrs.get("shared_name") or node.attrs.get("container"))


def _vector_of(value: np.ndarray) -> Dims:
    if value.ndim != 1 or value.dtype.kind not in "iu" or value.size > _MAX_VECTOR:
        return None
    found: list[int] = value.tolist()
    return tuple(found) if min(found, default=0) >= -1 else None


def _is_index_cast(node: Node) -> bool:
    source, target = node.attrs["SrcT"], node.attrs["DstT"]
    return bool(source.is_integer and target.is_integer and source.size >= 4 and target.size >= 4)


def _num_unknown(dims: Dims) -> int:
    return 1 << 20 if dims is None else sum(n < 0 for n in dims)
