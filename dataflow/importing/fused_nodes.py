"""Fused nodes, which TensorFlow's optimizer leaves in graphs, as the plain nodes they stand for.

The optimizer (Grappler) puts `_FusedConv2D` and the like in the place of several nodes, and notes
symbolic shapes in attrs. What it wrote runs where the library has no such ops. So does the batch
normalization of graphs from before TensorFlow 1.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from dataflow.importing.body_freezing import constant
from dataflow.importing.errors import invalid
from dataflow.proto.attr_value_pb2 import AttrValue
from dataflow.proto.function_pb2 import FunctionDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.types_pb2 import DT_INT32
from dataflow.values.dtypes import DType, as_dtype

_PLAIN = {
    "_FusedConv2D": "Conv2D",
    "_FusedDepthwiseConv2dNative": "DepthwiseConv2dNative",
    "_FusedMatMul": "MatMul",
}
_OUTPUTS = {
    "Conv2D": "output",
    "DepthwiseConv2dNative": "output",
    "MatMul": "product",
    "BiasAdd": "output",
    "FusedBatchNormV3": "y",
    "AddV2": "z",
    "Mul": "z",
    "Pow": "z",
    "Sub": "z",
    "Rsqrt": "y",
    "Relu": "activations",
    "Relu6": "activations",
    "Elu": "activations",
    "LeakyRelu": "activations",
    "Tanh": "y",
    "Erf": "y",
    "Sigmoid": "y",
    "Const": "output",
    "Identity": "output",
    "Reshape": "output",
}
"""Op -> the name of its first output."""
_UNARY = ("Relu", "Relu6", "Elu", "Tanh", "Sigmoid")
_KEPT = {
    "Conv2D": (
        *("T", "strides", "padding", "explicit_paddings", "data_format", "dilations"),
        "use_cudnn_on_gpu",
    ),
    "DepthwiseConv2dNative": (
        *("T", "strides", "padding", "explicit_paddings", "data_format", "dilations"),
    ),
    "MatMul": ("T", "transpose_a", "transpose_b"),
}
_NOTE = "_input_shapes"
_SQRT_HALF, _SQRT_2_BY_PI, _CUBIC = math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715


def without_fused_nodes(graph_def: GraphDef) -> GraphDef:
    """The graph with plain nodes in the place of fused ones, in functions too.

    The last of the nodes that a fused one stands for has its name.

    Raises:
      InvalidGraphDefError: A fused node is malformed, or fuses what is not known.
    """
    bodies = [graph_def.node, *(each.node_def for each in graph_def.library.function)]
    if not any(_is_optimized(node) for body in bodies for node in body):
        return graph_def
    result = GraphDef()
    result.CopyFrom(graph_def)
    nodes = _lowered(graph_def.node, in_function=False)[0]
    del result.node[:]
    result.node.extend(nodes)
    for function in result.library.function:
        _lower_function(function)
    return result


def _is_optimized(node: NodeDef) -> bool:
    return node.op.startswith("_Fused") or _NOTE in node.attr


def _lower_function(function: FunctionDef) -> None:
    nodes, renamed = _lowered(function.node_def, in_function=True)
    del function.node_def[:]
    function.node_def.extend(nodes)
    for key, text in function.ret.items():
        function.ret[key] = renamed.get(text, text)


def _lowered(nodes: Sequence[NodeDef], in_function: bool) -> tuple[list[NodeDef], dict[str, str]]:
    """The nodes, and the names of outputs that changed."""
    made: list[NodeDef] = []
    renamed: dict[str, str] = {}
    names = {node.name for node in nodes}
    vectors = {
        node.name
        for node in nodes
        if node.op == "Const" and len(node.attr["value"].tensor.tensor_shape.dim) == 1
    }
    for node in nodes:
        if node.op in _PLAIN or node.op == "_FusedBatchNormEx":
            chain = _Chain(node, made, in_function, vectors, names)
            _check_inputs(node)
            if node.op in _PLAIN:
                _lower_product(node, chain)
            else:
                renamed |= _lower_batch_norm(node, chain)
            if in_function:
                first = _OUTPUTS[_PLAIN[node.op]] if node.op in _PLAIN else "y"
                renamed[f"{node.name}:{first}:0"] = chain.value
        else:
            copy = NodeDef()
            copy.CopyFrom(node)
            copy.attr.pop(_NOTE, None)
            made.append(copy)
    if renamed:
        for node in made:
            for index, text in enumerate(node.input):
                node.input[index] = renamed.get(text, text)
    return made, renamed


class _Chain:
    """Nodes that take each other's outputs; the last has the fused node's name."""

    def __init__(
        self,
        node: NodeDef,
        made: list[NodeDef],
        in_function: bool,
        vectors: Collection[str],
        names: set[str],
    ) -> None:
        self._node, self._made, self._in_function = node, made, in_function
        self._vectors, self._names = vectors, names
        self.inputs = [text for text in node.input if not text.startswith("^")]
        self._control = [text for text in node.input if text.startswith("^")]
        self.value = ""

    def output(self, node: NodeDef, index: int = 0) -> str:
        """How the first output of a node is named as an input."""
        if self._in_function:
            return f"{node.name}:{_OUTPUTS[node.op]}:0"
        return f"{node.name}:{index}" if index else node.name

    def add(self, op: str, inputs: list[str], last: bool, **attrs: Any) -> NodeDef:
        """Adds a node that takes these inputs; its output is the chain's value."""
        node = self._made_node(op, last)
        node.input.extend(inputs)
        if not last:
            node.input.extend(self._control)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)
        self._made.append(node)
        self.value = self.output(node)
        return node

    def number(self, value: float) -> str:
        """Adds a number of the chain's type."""
        try:
            kind = DType(self._node.attr["T"].type).as_numpy_dtype
            return self.constant(np.array(value, kind))
        except (TypeError, ValueError) as error:
            raise invalid(self._node, f"Node '{self._node.name}': {error}") from None

    def constant(self, value: np.ndarray) -> str:
        """Adds a constant."""
        kind = as_dtype(value.dtype).as_datatype_enum
        node = constant(self._unique("Const"), value, kind)
        node.device = self._node.device
        self._made.append(node)
        return self.output(node)

    def is_vector(self, text: str) -> bool:
        """Whether an input is known to have one dimension."""
        return text.removesuffix(":output:0") in self._vectors

    def _made_node(self, op: str, last: bool) -> NodeDef:
        name = self._node.name if last else self._unique(op)
        node = NodeDef(name=name, op=op, device=self._node.device)
        if "_class" in self._node.attr and not last:
            node.attr["_class"].CopyFrom(self._node.attr["_class"])
        return node

    def _unique(self, op: str) -> str:
        name, number = f"{self._node.name}/{op}", 0
        while name in self._names:
            number += 1
            name = f"{self._node.name}/{op}_{number}"
        self._names.add(name)
        return name


def _check_inputs(node: NodeDef) -> None:
    data = [text for text in node.input if not text.startswith("^")]
    least = 2 if node.op in _PLAIN else 5
    if len(data) < least or "T" not in node.attr:
        raise invalid(node, f"Node '{node.name}' of op '{node.op}' lacks inputs or its type")


def _lower_product(node: NodeDef, chain: _Chain) -> None:
    """Product or convolution first, then what was fused with it, one after the other."""
    fused = [each.decode(errors="replace") for each in node.attr["fused_ops"].list.s]
    plain = _PLAIN[node.op]
    kept = {key: node.attr[key] for key in _KEPT[plain] if key in node.attr}
    arguments = chain.inputs[2:]
    kind = {"T": node.attr["T"]}
    chain.add(plain, chain.inputs[:2], not fused, **kept)
    for index, op in enumerate(fused):
        last = index == len(fused) - 1
        if op == "BiasAdd":
            layout = {key: node.attr[key] for key in ("data_format",) if key in node.attr}
            product = chain.value
            bias = _as_vector(chain, _take(node, arguments, 1)[0], kind)
            chain.add("BiasAdd", [product, bias], last, **kind, **layout)
        elif op == "Add":
            chain.add("AddV2", [chain.value, *_take(node, arguments, 1)], last, **kind)
        elif op == "FusedBatchNorm":
            _add_batch_norm(node, chain, [chain.value, *_take(node, arguments, 4)], last)
        elif op in _UNARY:
            chain.add(op, [chain.value], last, **kind)
        elif op == "LeakyRelu":
            alpha = (
                {"alpha": node.attr["leakyrelu_alpha"]} if "leakyrelu_alpha" in node.attr else {}
            )
            chain.add(op, [chain.value], last, **kind, **alpha)
        elif op in ("GeluExact", "GeluApproximate"):
            _GELUS[op](chain, last, kind)
        else:
            raise invalid(
                node, f"Node '{node.name}' of op '{node.op}' fuses '{op}', not known here"
            )
    if arguments:
        raise invalid(
            node, f"Node '{node.name}' of op '{node.op}' has {len(arguments)} more inputs"
        )


def _as_vector(chain: _Chain, bias: str, kind: dict[str, Any]) -> str:
    """A bias with one dimension: the optimizer takes sums with [1, 1, 1, n] for additions of it."""
    if chain.is_vector(bias):
        return bias
    sizes = AttrValue()
    sizes.type = DT_INT32
    chain.add(
        "Reshape", [bias, chain.constant(np.array([-1], np.int32))], False, **kind, Tshape=sizes
    )
    return chain.value


def _take(node: NodeDef, arguments: list[str], count: int) -> list[str]:
    if len(arguments) < count:
        raise invalid(node, f"Node '{node.name}' of op '{node.op}' lacks inputs")
    taken = arguments[:count]
    del arguments[:count]
    return taken


def _add_batch_norm(
    node: NodeDef, chain: _Chain, inputs: list[str], last: bool, training: bool = False
) -> NodeDef:
    attrs = {key: node.attr[key] for key in ("T", "epsilon", "data_format") if key in node.attr}
    made = chain.add("FusedBatchNormV3", inputs, last, **attrs)
    if "U" in node.attr:
        made.attr["U"].CopyFrom(node.attr["U"])
    else:
        made.attr["U"].type = node.attr["T"].type
    made.attr["is_training"].b = training
    return made


def _gelu_exact(chain: _Chain, last: bool, kind: dict[str, Any]) -> None:
    """x * 0.5 * (1 + erf(x / sqrt(2)))."""
    x = chain.value
    chain.add("Mul", [x, chain.number(_SQRT_HALF)], False, **kind)
    chain.add("Erf", [chain.value], False, **kind)
    _half_of_sum(chain, x, last, kind)


def _gelu_approximate(chain: _Chain, last: bool, kind: dict[str, Any]) -> None:
    """x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))."""
    x = chain.value
    chain.add("Pow", [x, chain.number(3.0)], False, **kind)
    chain.add("Mul", [chain.value, chain.number(_CUBIC)], False, **kind)
    chain.add("AddV2", [chain.value, x], False, **kind)
    chain.add("Mul", [chain.value, chain.number(_SQRT_2_BY_PI)], False, **kind)
    chain.add("Tanh", [chain.value], False, **kind)
    _half_of_sum(chain, x, last, kind)


def _half_of_sum(chain: _Chain, x: str, last: bool, kind: dict[str, Any]) -> None:
    chain.add("AddV2", [chain.value, chain.number(1.0)], False, **kind)
    chain.add("Mul", [chain.value, chain.number(0.5)], False, **kind)
    chain.add("Mul", [chain.value, x], last, **kind)


_GELUS: dict[str, Callable[[_Chain, bool, dict[str, Any]], None]] = {
    "GeluExact": _gelu_exact,
    "GeluApproximate": _gelu_approximate,
}


def _lower_batch_norm(node: NodeDef, chain: _Chain) -> dict[str, str]:
    """The normalization, a sum with a second input, an activation; its statistics change names."""
    mode = node.attr["activation_mode"].s.decode(errors="replace") or "Identity"
    if mode not in ("Identity", "Relu"):
        raise invalid(node, f"Node '{node.name}' of op '{node.op}' fuses '{mode}', not known here")
    training = node.attr["is_training"].b if "is_training" in node.attr else True
    side = chain.inputs[5:]
    normalized = _add_batch_norm(node, chain, chain.inputs[:5], False, training)
    if side:
        chain.add("AddV2", [chain.value, side[0]], mode == "Identity", T=node.attr["T"])
    if mode == "Relu":
        chain.add("Relu", [chain.value], True, T=node.attr["T"])
    elif not side:
        chain.add("Identity", [chain.value], True, T=node.attr["T"])
    parts = (
        "batch_mean",
        "batch_variance",
        "reserve_space_1",
        "reserve_space_2",
        "reserve_space_3",
    )
    return {f"{node.name}:{part}:0": f"{normalized.name}:{part}:0" for part in parts} | {
        f"{node.name}:{index}": f"{normalized.name}:{index}" for index in range(1, 6)
    }
