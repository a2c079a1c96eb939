"""apply_op: a call with Python values becomes an operation; types are inferred, defaults filled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from dataflow.graph import default_stacks, scopes
from dataflow.graph.constant_value import set_shape_of_captured
from dataflow.graph.convert import convert_n_to_tensor, convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shorten
from dataflow.schema import opdef
from dataflow.schema.arguments import ArgDef, AttrDef
from dataflow.schema.attr_values import make_attr
from dataflow.schema.deprecations import DEPRECATED, refusal
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


def apply_op(op_type: str, *values: Any, name: str | None = None, **given: Any) -> Any:
    """Adds an operation to the graph of its inputs, or else to the default graph.

    Args:
      op_type: A registered op type.
      *values: Inputs in the schema's order: anything `convert_to_tensor` takes; a list for an
        argument that stands for several tensors.
      name: The operation's name; the op type if None.
      **given: Attrs that do not follow from the inputs; None means the default.

    Returns:
      The output tensor; a list, for one output argument that stands for several tensors; a named
      tuple, for several output arguments; the operation, where there is no output.

    Raises:
      TypeError: An input or attr is of a wrong type.
      ValueError: An attr has a value that is not allowed, or the input shapes do not fit.
      NotImplementedError: Graphs of this version do not have the op any more.
    """
    try:
        op_def = opdef.find(op_type)
        if op_def is None:
            raise RuntimeError(f"Op type not registered '{op_type}'.")
        if len(values) != len(op_def.inputs):
            names = [arg.name for arg in op_def.inputs]
            raise TypeError(f"{op_type} takes {len(names)} inputs {names}, got {len(values)}.")
        graph = _graph_of(values)
        if op_type in DEPRECATED:
            told = refusal(op_type, graph._versions.producer)
            if told:
                raise NotImplementedError(told)
        inputs, attrs = _infer_from_tensors(op_def, values)
        if inputs is None:
            with graph.as_default(), graph.name_scope(name or op_type) as scope:
                conversion = _Conversion(op_def)
                inputs, attrs = conversion.run(values)
                _add_given(op_def, attrs, given, graph)
                with ExitStack() as colocated:
                    for reference in conversion.references:
                        colocated.enter_context(graph.colocate_with(reference.op))
                    op = graph.add_op(op_def, inputs, attrs, scope)
        else:
            _add_given(op_def, attrs, given, graph)
            if graph._scopes.control_flow_context is None:
                op = graph.add_op(op_def, inputs, attrs, name)
            else:
                # What brings the inputs into the context is named after the operation.
                with graph.as_default(), graph.name_scope(name or op_type) as scope:
                    op = graph.add_op(op_def, inputs, attrs, scope)
        if graph._building_function:
            set_shape_of_captured(op)
        return results(op)
    except Exception as error:
        shorten(error)
        raise


def results(op: Operation) -> Any:
    """The outputs of an operation in the form its Python function returns them."""
    outputs = op.outputs
    args = op.op_def.outputs
    if len(args) == 1:
        if not args[0].is_list:
            return outputs[0]
        return list(outputs) if outputs or args[0].number_attr else op
    if not args:
        return op
    grouped: list[Any] = []
    start = 0
    for arg in args:
        if not arg.is_list:
            grouped.append(outputs[start])
            start += 1
            continue
        size = op.attrs[arg.number_attr] if arg.number_attr else len(op.attrs[arg.type_list_attr])
        grouped.append(list(outputs[start : start + size]))
        start += size
    return opdef.output_tuple_type(op.op_def)(*grouped)


def _graph_of(values: Sequence[Any]) -> Graph:
    """The graph that the tensors among the inputs belong to, or the default graph."""
    default = default_stacks.graphs.top()
    if default is not None and default._captures:
        return default
    graph: Graph | None = None
    first: Any = None
    for value in values:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            item_graph = getattr(item, "graph", None) if hasattr(item, "op") else None
            if item_graph is None or not isinstance(item_graph, Graph):
                continue
            if graph is None:
                graph, first = item_graph, item
            elif graph is not item_graph:
                raise ValueError(
                    f"{item} must be from the same graph as {first} (graphs are "
                    f"{item_graph} and {graph})."
                )
    return graph if graph is not None else scopes.get_default_graph()


def _infer_from_tensors(
    op_def: OpDef, values: Sequence[Any]
) -> tuple[list[Tensor] | None, dict[str, Any]]:
    """The quick way, for inputs that are tensors already and fit; None sends them the long way."""
    attrs: dict[str, Any] = {}
    inputs: list[Tensor] = []
    for arg, value in zip(op_def.inputs, values, strict=True):
        if arg.is_list or arg.is_ref or type(value) is not Tensor:
            return None, {}
        dtype = value._dtype.base_dtype
        if arg.type_attr:
            if attrs.setdefault(arg.type_attr, dtype) is not dtype:
                return None, {}
            allowed = op_def.attr_by_name[arg.type_attr].allowed
            if allowed is not None and dtype not in allowed:
                return None, {}
        elif arg.dtype is not dtype:
            return None, {}
        inputs.append(value)
    return inputs, attrs


class _Conversion:
    """Converts the inputs of one call, inferring type and length attrs from left to right."""

    def __init__(self, op_def: OpDef) -> None:
        self._op_def = op_def
        self._attrs: dict[str, Any] = {}
        self._inferred_from: dict[str, str] = {}
        self._inputs: list[Tensor] = []
        self.references: list[Tensor] = []
        """Inputs that the operation may write to, so that it must be on their device."""

    def run(self, values: Sequence[Any]) -> tuple[list[Tensor], dict[str, Any]]:
        """Returns the input tensors, lists flattened, and the attrs that follow from them."""
        for arg, value in zip(self._op_def.inputs, values, strict=True):
            if arg.is_list:
                self._convert_list(arg, value)
            else:
                self._convert_one(arg, value)
        return self._inputs, self._attrs

    def _convert_one(self, arg: ArgDef, value: Any) -> None:
        op = self._op_def.name
        attr = self._op_def.attr_by_name.get(arg.type_attr)
        wanted = arg.dtype if attr is None else self._attrs.get(arg.type_attr)
        hint = attr.default if wanted is None and attr is not None and attr.has_default else None
        try:
            tensor = self._to_tensor(arg, attr, value, wanted, hint)
        except TypeError as error:
            if wanted is None:
                raise
            raise TypeError(
                f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{op}', got "
                f"{value!r} of type '{type(value).__name__}' instead. Error: {error}"
            ) from None
        except ValueError:
            raise self._mismatch(arg, value, wanted, hint) from None
        self._check_mutable(arg, [tensor])
        if attr is not None:
            self._set_type(attr, arg.name, tensor.dtype.base_dtype)
        if arg.is_ref:
            self.references.append(tensor)
        self._inputs.append(tensor)

    def _to_tensor(
        self, arg: ArgDef, attr: AttrDef | None, value: Any, wanted: DType | None, hint: Any
    ) -> Tensor:
        if wanted is None and attr is not None and hint is not None and attr.allowed:
            # The natural type goes before the default, if the op takes it.
            try:
                natural = convert_to_tensor(value, name=arg.name, as_ref=arg.is_ref)
            except TypeError:
                natural = None
            if natural is not None and natural.dtype.base_dtype in attr.allowed:
                return natural
        return convert_to_tensor(
            value, dtype=wanted, name=arg.name, preferred_dtype=hint, as_ref=arg.is_ref
        )

    def _mismatch(self, arg: ArgDef, value: Any, wanted: DType | None, hint: Any) -> Exception:
        try:
            observed = convert_to_tensor(value, as_ref=arg.is_ref).dtype.name
        except ValueError as error:
            return ValueError(
                f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}"
            )
        op = self._op_def.name
        prefix = f"Input '{arg.name}' of '{op}' Op has type {observed} that does not match"
        if arg.dtype is not None:
            return TypeError(f"{prefix} expected type of {arg.dtype.name}.")
        expected = wanted if wanted is not None else hint
        source = self._inferred_from.get(arg.type_attr, "Default in OpDef")
        return TypeError(f"{prefix} type {expected.name} of argument '{source}'.")

    def _convert_list(self, arg: ArgDef, values: Any) -> None:
        op = self._op_def.name
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{arg.name}' argument to '{op}' Op, not {values}.")
        tensors = self._list_tensors(arg, values)
        types = [t.dtype.base_dtype for t in tensors]
        if arg.number_attr:
            self._set_length(arg, len(tensors))
            if arg.type_attr:
                attr = self._op_def.attr_by_name[arg.type_attr]
                if types:
                    self._set_type(attr, arg.name, types[0])
                elif not attr.has_default and attr.name not in self._attrs:
                    raise TypeError(
                        "Don't know how to infer type variable from empty input list passed to "
                        f"input '{arg.name}' of '{op}' Op."
                    )
        else:
            self._set_type_list(arg, types)
        self._check_mutable(arg, tensors)
        if arg.is_ref:
            self.references += tensors
        self._inputs += tensors

    def _check_mutable(self, arg: ArgDef, tensors: Sequence[Tensor]) -> None:
        if arg.is_ref and not all(tensor.dtype._is_ref_dtype for tensor in tensors):
            raise TypeError(
                f"'{self._op_def.name}' Op requires that input '{arg.name}' be a mutable tensor "
                "(e.g.: a tf.Variable)"
            )

    def _list_tensors(self, arg: ArgDef, values: Sequence[Any]) -> list[Tensor]:
        wanted: DType | None = arg.dtype
        hint = None
        if arg.number_attr and arg.type_attr:
            wanted = self._attrs.get(arg.type_attr)
            if wanted is None:
                wanted = next((v.dtype.base_dtype for v in values if isinstance(v, Tensor)), None)
            attr = self._op_def.attr_by_name[arg.type_attr]
            hint = attr.default if wanted is None and attr.has_default else None
        try:
            tensors = convert_n_to_tensor(
                values, dtype=wanted, name=arg.name, preferred_dtype=hint, as_ref=arg.is_ref
            )
            if arg.number_attr and len({t.dtype.base_dtype for t in tensors}) > 1:
                raise TypeError("not all types match")
        except (TypeError, ValueError) as error:
            raise self._list_mismatch(arg, values, wanted) from error
        return tensors

    def _list_mismatch(self, arg: ArgDef, values: Sequence[Any], wanted: DType | None) -> Exception:
        observed = []
        for value in values:
            try:
                observed.append(convert_to_tensor(value, as_ref=arg.is_ref).dtype.base_dtype.name)
            except (TypeError, ValueError):
                observed.append("<NOT CONVERTIBLE TO TENSOR>")
        prefix = (
            f"Tensors in list passed to '{arg.name}' of '{self._op_def.name}' Op have types "
            f"[{', '.join(observed)}]"
        )
        if not arg.number_attr:
            return TypeError(f"{prefix} that are invalid. Tensors: {values}")
        if arg.dtype is not None:
            return TypeError(f"{prefix} that do not match expected type {arg.dtype.name}.")
        if arg.type_attr in self._attrs and wanted is not None:
            return TypeError(
                f"{prefix} that do not match type {wanted.name} inferred from earlier arguments."
            )
        return TypeError(f"{prefix} that don't all match.")

    def _set_length(self, arg: ArgDef, length: int) -> None:
        op = self._op_def.name
        known = self._attrs.get(arg.number_attr)
        if known is not None and known != length:
            raise ValueError(
                f"List argument '{arg.name}' to '{op}' Op with length {length} must match length "
                f"{known} of argument '{self._inferred_from[arg.number_attr]}'."
            )
        minimum = self._op_def.attr_by_name[arg.number_attr].minimum
        if minimum is not None and length < minimum:
            raise ValueError(
                f"List argument '{arg.name}' to '{op}' Op with length {length} shorter than "
                f"minimum length {minimum}."
            )
        self._attrs[arg.number_attr] = length
        self._inferred_from.setdefault(arg.number_attr, arg.name)

    def _set_type(self, attr: AttrDef, source: str, dtype: DType) -> None:
        if attr.name not in self._attrs:
            _check_allowed_type(attr, source, dtype)
            self._attrs[attr.name] = dtype
            self._inferred_from[attr.name] = source

    def _set_type_list(self, arg: ArgDef, types: list[DType]) -> None:
        attr = self._op_def.attr_by_name[arg.type_list_attr]
        known = self._attrs.get(attr.name)
        if known is not None and known != tuple(types):
            raise TypeError(
                f"Input '{arg.name}' of '{self._op_def.name}' Op has type list of "
                f"{[t.name for t in types]} that does not match type list "
                f"{[t.name for t in known]} of argument '{self._inferred_from[attr.name]}'."
            )
        if attr.minimum is not None and len(types) < attr.minimum:
            raise ValueError(
                f"Attr '{attr.name}' of '{self._op_def.name}' Op passed list of length "
                f"{len(types)} less than minimum {attr.minimum}."
            )
        for dtype in types:
            _check_allowed_type(attr, arg.name, dtype)
        self._attrs[attr.name] = tuple(types)
        self._inferred_from.setdefault(attr.name, arg.name)


def _check_allowed_type(attr: AttrDef, source: str, dtype: DType) -> None:
    if attr.allowed is not None and dtype not in attr.allowed:
        allowed = ", ".join(d.name for d in attr.allowed_in_order)
        raise TypeError(
            f"Value passed to parameter '{source}' has DataType {dtype.name} not in list of "
            f"allowed values: {allowed}"
        )


def _named_functions(graph: Graph, value: Any) -> Any:
    """Names for functions passed as objects (Defun), which the graph is to know."""
    if isinstance(value, (list, tuple)):
        return [_named_functions(graph, item) for item in value]
    if hasattr(value, "add_to_graph"):
        value.add_to_graph(graph)
        return value.name
    return value


def _add_given(op_def: OpDef, attrs: dict[str, Any], given: dict[str, Any], graph: Graph) -> None:
    """Adds the attrs that were passed, and the defaults of those that were not."""
    for attr in op_def.attrs:
        is_given = attr.name in given
        value = given.pop(attr.name, None)
        if attr.name in attrs:
            if value is not None:
                _check_given_type(op_def, attr, attrs[attr.name], value)
        elif value is not None:
            if attr.kind in ("func", "list(func)"):
                value = _named_functions(graph, value)
            attrs[attr.name] = make_attr(op_def.name, attr, value)
        elif attr.has_default:
            attrs[attr.name] = attr.default
        elif is_given and attr.kind == "shape":
            attrs[attr.name] = TensorShape.of(None)
        elif is_given:
            attrs[attr.name] = make_attr(op_def.name, attr, None)
        else:
            raise TypeError(f"No argument found for attr {attr.name} for {op_def.name}")
    if given:
        raise TypeError(
            f"{op_def.name} got unexpected keyword arguments: {', '.join(sorted(given))}."
        )


def _check_given_type(op_def: OpDef, attr: AttrDef, inferred: Any, value: Any) -> None:
    if attr.kind != "type" or dtypes.as_dtype(value).base_dtype != inferred:
        raise TypeError(
            f"Should not specify value for inferred attr '{attr.name}' for {op_def.name}."
        )
