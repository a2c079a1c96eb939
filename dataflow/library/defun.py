"""Defun: Python functions as functions of the graph, which nodes call by their name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.functions.calls import add_call, call_attrs, call_results
from dataflow.functions.hash import function_hash
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.parts.function_def import graph_to_function_def
from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.library.defun_graph import (
    DefunGraph,
    outer_device,
    trace_defun,
)
from dataflow.proto import op_def_pb2
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_ANY_NUMBER = 1000000

_SHORT_NAMES = {
    dtypes.float16: "f16",
    dtypes.float32: "f32",
    dtypes.float64: "f64",
    dtypes.int32: "i32",
    dtypes.uint8: "i8",
    dtypes.uint16: "u16",
    dtypes.uint32: "u32",
    dtypes.uint64: "u64",
    dtypes.int16: "i16",
    dtypes.int8: "i8",
    dtypes.string: "s",
    dtypes.complex64: "c64",
    dtypes.complex128: "c128",
    dtypes.int64: "i64",
    dtypes.bool: "b",
    dtypes.qint8: "qi8",
    dtypes.quint8: "qu8",
    dtypes.qint16: "qi16",
    dtypes.quint16: "qu16",
    dtypes.qint32: "qi32",
    dtypes.bfloat16: "b16",
}


class Defun:
    """Decorator that makes a Python function a function of the graph.

    The function is run once, on placeholders, when it is first called; a call adds one node.
    `@Defun(tf.float32, tf.float32) def add(x, y): return x + y`; without types it is run once for
    each combination of types it is called with.

    Args:
      *input_types: Element types of the arguments.
      func_name: The function's name; by default the Python function's, and a hash of the body.
      grad_func: A Defun that takes the arguments and the gradients of the results and gives the
        gradients of the arguments.
      python_grad_func: `f(op, *grads)` that makes the gradients of the arguments of a call.
      out_names: Names of the results.
      **kwargs: `noinline`, `shape_func`, `capture_by_value`, `allowlisted_stateful_ops`, its former
        name `whitelisted_stateful_ops`, `capture_resource_var_by_value`, and attrs named
        `experimental_*`, `_implements` and `_reference`.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._input_types = input_types
        self._func_name = kwargs.pop("func_name", None)
        self._grad_func = kwargs.pop("grad_func", None)
        self._python_grad_func = kwargs.pop("python_grad_func", None)
        self._out_names = kwargs.pop("out_names", None)
        self._kwargs = kwargs

    def __call__(self, func: Callable[..., Any]) -> _DefinedFunction | _OverloadedFunction:
        """Makes a function.

        Raises:
          ValueError: `func` is not callable, has defaults or keyword arguments, or takes another
            number of arguments than there are types.
        """
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError(
                "function with argument defaults or keywords arguments are not supported. "
                f"{func} has defaults {spec.defaults} and keywords {spec.varkw}."
            )
        names = spec.args[1:] if inspect.ismethod(func) else spec.args
        fewest = len(names)
        most = _ANY_NUMBER if spec.varargs else len(spec.args)
        settings = (self._func_name, self._grad_func, self._python_grad_func)
        if self._input_types:
            number = len(self._input_types)
            if number < fewest or number > most:
                raise ValueError(
                    "The function has fewer arguments than the number of specified input types."
                )
            return _DefinedFunction(
                func, names, self._input_types, *settings, self._out_names, **self._kwargs
            )
        if fewest == 0 and most == 0:
            return _DefinedFunction(func, [], [], *settings, self._out_names, **self._kwargs)
        return _OverloadedFunction(func, names, *settings, self._out_names, **self._kwargs)


class _DefinedFunction:
    """A function of given argument types; its body is made when it is first needed."""

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        input_types: Sequence[Any],
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[[Operation], Any] | None = None,
        capture_by_value: bool = False,
        allowlisted_stateful_ops: Any = None,
        whitelisted_stateful_ops: Any = None,
        capture_resource_var_by_value: bool = True,
        **kwargs: Any,
    ) -> None:
        self._func = func
        self._input_types = input_types
        self._func_name = func_name
        self._grad_func: _DefinedFunction | None = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = list(out_names or ())
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._allowed_ops = allowlisted_stateful_ops or whitelisted_stateful_ops or ()
        self._read_variables = capture_resource_var_by_value
        self._kwargs = kwargs
        self._device = outer_device(scopes.get_default_graph())
        self._arg_names = [
            argnames[i] if i < len(argnames) else f"arg{i}" for i in range(len(input_types))
        ]
        self._body: DefunGraph | None = None
        self._function: GraphFunction | None = None
        self._op_def: OpDef | None = None

    @property
    def name(self) -> str:
        """The function's name."""
        return self._made().name

    @property
    def definition(self) -> Any:
        """The function as a FunctionDef."""
        return self._made().definition

    @property
    def _signature(self) -> Any:
        return self._made().definition.signature

    @property
    def cached_definition(self) -> Any:
        """The function as a FunctionDef."""
        return self._made().definition

    @property
    def grad_func_name(self) -> str | None:
        """Name of the gradient function, or None."""
        return None if self._grad_func is None else self._grad_func.name

    @property
    def python_grad_func(self) -> Callable[..., Any] | None:
        """What makes the gradients of a call, or None."""
        return self._python_grad_func

    @property
    def declared_input_types(self) -> Sequence[Any]:
        """Element types of the arguments."""
        return self._input_types

    @property
    def captured_inputs(self) -> list[Tensor]:
        """Outer tensors that a call passes after the arguments."""
        self._made()
        assert self._body is not None
        return self._body.extra_inputs

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """Names and types of the stateful operations in the body."""
        self._made()
        assert self._body is not None
        operations = self._body.get_operations()
        return [(op.name, op.type) for op in operations if op.op_def.is_stateful]

    def set_grad_func(self, grad_func: _DefinedFunction) -> None:
        """Sets the gradient function, once."""
        assert not self._grad_func
        assert isinstance(grad_func, _DefinedFunction)
        self._grad_func = grad_func

    def add_to_graph(self, g: Graph) -> None:
        """Adds the function, and those it needs, to a graph."""
        function = self._made()
        if self._grad_func is not None:
            # Set after the body was made, as recursive gradients are.
            function = GraphFunction(
                function.definition,
                function.children,
                self._grad_func.name,
                self._python_grad_func,
                function.graph,
            )
        known = g._get_function(function.name)
        if known is None or known.definition is not function.definition:
            g._add_function(function)
        for child in function.children:
            g._add_function_recursive(child)
        if self._grad_func is not None:
            self._grad_func.add_to_graph(g)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Returns:
          The result, a tuple of the results, or the operation if there are none.

        Raises:
          ValueError: The number or the types of the arguments do not fit.
        """
        graph = scopes.get_default_graph()
        self.add_to_graph(graph)
        inputs = [*map(convert_to_tensor, args), *self.captured_inputs]
        assert self._op_def is not None
        op = add_call(self._op_def, inputs, kwargs)
        if self._shape_func is not None:
            shapes = self._shape_func(op)
            if len(shapes) != len(op.outputs):
                raise ValueError(
                    f"shape_func {self._shape_func} produced {len(shapes):d} shapes, which does "
                    f"not match {len(op.outputs)} outputs."
                )
            for tensor, shape in zip(op.outputs, shapes, strict=True):
                tensor.set_shape(shape)
        return call_results(op)

    def _made(self) -> GraphFunction:
        if self._function is None:
            self._function = self._make()
        return self._function

    def _make(self) -> GraphFunction:
        base = self._func_name or function_name(self._func)
        body = DefunGraph(base, self._capture_by_value, self._allowed_ops, self._read_variables)
        trace_defun(body, self._func, self._arg_names, self._input_types, self._device)
        if not self._func_name and self._grad_func is not None:
            base += f"_{self._grad_func.name}"
        attrs = call_attrs(base, dict(self._kwargs))
        if self._out_names and len(self._out_names) != len(body.outputs):
            raise InvalidArgumentError(
                None,
                None,
                "output names must be either empty or equal in size to outputs. output names size "
                f"= {len(self._out_names)} outputs size = {len(body.outputs)}",
            )
        definition = graph_to_function_def(
            "",
            body.get_operations(),
            body.inputs,
            body.outputs,
            output_names=self._out_names,
            description=self._func.__doc__ or "",
        )
        name = self._func_name or f"{base}_{function_hash(definition)}"
        definition.signature.name = name
        for key, value in attrs.items():
            if isinstance(value, bool):
                definition.attr[key].b = value
            elif isinstance(value, int):
                definition.attr[key].i = value
            elif isinstance(value, float):
                definition.attr[key].f = value
            else:
                definition.attr[key].s = value
        self._func_name = name
        self._body = body
        self._op_def = op_def_from_proto(definition.signature)
        children = tuple(body._functions.values())
        gradient = "" if self._grad_func is None else self._grad_func.name
        return GraphFunction(definition, children, gradient, self._python_grad_func, body)


class _OverloadedFunction:
    """A function that is made anew for each combination of argument types."""

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        assert grad_func is None or isinstance(grad_func, _OverloadedFunction)
        self._func = func
        self._argnames = argnames
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._kwargs = kwargs
        self._overloads: dict[str, _DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[DType]) -> _DefinedFunction:
        """The function for these argument types.

        Raises:
          ValueError: A type has no short name.
        """
        key = _short_names(input_types)
        defined = self._overloads.get(key)
        if defined is None:
            name = None if self._func_name is None else f"{self._func_name}_{key}"
            defined = _DefinedFunction(
                self._func,
                self._argnames,
                input_types,
                name,
                None,
                self._python_grad_func,
                self._out_names,
                **self._kwargs,
            )
            if self._grad_func is not None:
                results = [DType(arg.type) for arg in defined.definition.signature.output_arg]
                defined._grad_func = self._grad_func.instantiate([*input_types, *results])
            self._overloads[key] = defined
        return defined

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call of the function for the types of the arguments."""
        tensors = [convert_to_tensor(arg) for arg in args]
        return self.instantiate([tensor.dtype for tensor in tensors])(*tensors, **kwargs)


class Declare:
    """A function that is defined later, under the same name: for functions that call themselves.

    Args:
      func_name: The name.
      inputs: Pairs of name and element type of the arguments.
      outputs: Pairs of name and element type of the results.
    """

    def __init__(
        self, func_name: str, inputs: Sequence[tuple[str, Any]], outputs: Sequence[tuple[str, Any]]
    ) -> None:
        signature = op_def_pb2.OpDef(name=func_name)
        for name, dtype in inputs:
            signature.input_arg.add(name=name, type=dtypes.as_dtype(dtype).as_datatype_enum)
        for name, dtype in outputs:
            signature.output_arg.add(name=name, type=dtypes.as_dtype(dtype).as_datatype_enum)
        self._op_def = op_def_from_proto(signature)

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph."""
        return call_results(
            add_call(self._op_def, [convert_to_tensor(value) for value in inputs], kwargs)
        )


def function_name(func: Callable[..., Any]) -> str:
    """The name of a Python function, or of the one a partial call is of."""
    while isinstance(func, functools.partial):
        func = func.func
    name = getattr(func, "__name__", None)
    return str(type(func)) if name is None else name


def _short_names(types: Sequence[DType]) -> str:
    unsupported = [dtype for dtype in types if dtype not in _SHORT_NAMES]
    if unsupported:
        raise ValueError(
            f"Unsupported dtypes {unsupported} in `types`. Supported dtypes are "
            f"{_SHORT_NAMES.keys()}."
        )
    return "".join(_SHORT_NAMES[dtype] for dtype in types)
