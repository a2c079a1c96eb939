"""tf.function: a Python function, traced into a graph function for each kind of arguments."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any, Literal

from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.arguments import BoundArguments, Signature
from dataflow.library.concrete.direct import functions_run_eagerly
from dataflow.library.concrete.lifting import lifted
from dataflow.library.concrete.tracing import TracedFunction, home_of, traced
from dataflow.variables.variable import variable_creator_scope

Relaxes = Literal["", "sizes", "shapes"]
"""What calls may differ in and share a traced function: nothing, sizes, or ranks, too."""


def relaxes_of(experimental_relax_shapes: bool | None) -> Relaxes:
    """What TensorFlow 1 relaxed."""
    return "sizes" if experimental_relax_shapes else ""


class Function:
    """What `tf.function` makes; see there."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str,
        input_signature: Any = None,
        attrs: dict[str, Any] | None = None,
        relaxes: Relaxes = "",
        convert: Callable[..., Any] | None = None,
        instance: Any = None,
    ) -> None:
        functools.update_wrapper(self, python_function)
        self._python_function = python_function
        self._instance = None if instance is None else weakref.ref(instance)
        self._name = name
        self._signature = Signature(self._target(), input_signature)
        # For what asks Python how it is called.
        self.__signature__ = self._signature.of_function
        self._attrs = attrs or {}
        self._relaxes = relaxes
        self._convert = convert
        self._lock = threading.RLock()
        self._variables: list[Any] | None = None
        """Made while the function was first traced; None before that."""
        self._of_instances: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._seen: weakref.WeakKeyDictionary[Graph, dict[Any, BoundArguments]]
        self._seen = weakref.WeakKeyDictionary()
        """Arguments of calls so far, relaxed, for each graph that the calls are in."""
        self._traces = 0

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that is traced."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        """What describes the arguments, or None."""
        return self._signature.input_signature

    @property
    def concrete_functions(self) -> tuple[TracedFunction, ...]:
        """The graph functions so far, or the one that `input_signature` describes."""
        if self.input_signature is not None:
            return (self.get_concrete_function(),)
        known = (graph._functions.traced.get(self, {}) for graph in _graphs_around())
        return tuple(each for traces in known for each in traces.values())

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was run."""
        return self._traces

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> TracedFunction:
        """The graph function for arguments of a kind.

        Args:
          *args: Tensors, TensorSpecs in place of tensors, and other values; nothing is needed if
            there is an `input_signature`.
          **kwargs: Further ones by name.

        Raises:
          TypeError: They do not fit.
          ValueError: A variable is made, and this is not the first call.
        """
        return self._concrete(self._signature.bind(args, kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Returns:
          What the Python function returned, with tensors of the default graph in the place of its
          own; the operation of the call if it was None.

        Raises:
          TypeError: The arguments do not fit, or a result can become no tensor.
          ValueError: A variable is made, and this is not the first call.
        """
        if functions_run_eagerly():
            return self._target()(*args, **kwargs)
        bound = self._signature.bind(args, kwargs)
        return self._concrete(bound).call_with(bound.tensors)

    def __get__(self, instance: Any, owner: Any) -> Function:
        """The function of an object whose class it is a method of."""
        if instance is None:
            return self
        known = self._of_instances
        if instance not in known:
            settings = (self._name, self.input_signature, self._attrs, self._relaxes, self._convert)
            known[instance] = type(self)(self._python_function, *settings, instance)
        return known[instance]

    def _target(self) -> Callable[..., Any]:
        if self._instance is None:
            return self._python_function
        return MethodType(self._python_function, self._instance())

    def _concrete(self, bound: BoundArguments) -> TracedFunction:
        with self._lock:
            bound = self._relaxed(bound) if self._relaxes else bound
            for graph in _graphs_around():
                known: dict[Any, TracedFunction] = graph._functions.traced.get(self, {})
                found = known.get(bound.key)
                if found is not None:
                    return found
            made = self._made(bound)
            home_of(made)._functions.traced.setdefault(self, {})[bound.key] = made
            return made

    def _relaxed(self, bound: BoundArguments) -> BoundArguments:
        """The arguments, of the shapes that all calls so far have in common."""
        key = bound.loose_key(tells_ranks=self._relaxes == "sizes")
        *_, outermost = _graphs_around()
        known = self._seen.setdefault(outermost, {})
        seen = known.get(key)
        known[key] = bound = bound if seen is None else bound.relaxed(seen)
        return bound

    def _made(self, bound: BoundArguments) -> TracedFunction:
        if self._variables is not None:
            return self._traced(bound, _refused)
        variables: list[Any] = []

        def created(following: Callable[..., Any], **kwargs: Any) -> Any:
            variable = _lifted_variable(following, kwargs)
            variables.append(variable)
            return variable

        made = self._traced(bound, created)
        self._variables = variables
        # What made variables made them the first time only.
        return self._traced(bound, _refused) if variables else made

    def _traced(self, bound: BoundArguments, creator: Callable[..., Any]) -> TracedFunction:
        target = self._target()
        if self._convert is not None:
            target = self._convert(target)

        @functools.wraps(target)
        def body(*args: Any, **kwargs: Any) -> Any:
            with variable_creator_scope(creator):
                return target(*args, **kwargs)

        self._traces += 1
        return traced(body, self._name, bound, self._attrs)


def _graphs_around() -> list[Graph]:
    """The default graph and those around it, outermost last."""
    graphs = [scopes.get_default_graph()]
    while isinstance(graphs[-1], FuncGraph):
        graphs.append(graphs[-1].outer_graph)
    return graphs


def outer_variable(following: Callable[..., Any], **kwargs: Any) -> Any:
    """A variable made outside of functions."""
    value = kwargs["initial_value"]
    if isinstance(value, Tensor):
        kwargs["initial_value"] = lifted(value)
    return following(**kwargs)


def _lifted_variable(following: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
    """A variable made outside of functions; as in TensorFlow, optimizers are not told of it."""
    variable = outer_variable(following, **kwargs)
    with scopes.init_scope():
        trainable = scopes.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        trainable[:] = [each for each in trainable if each is not variable]
    return variable


def _refused(following: Callable[..., Any], **kwargs: Any) -> Any:
    raise ValueError(
        "tf.function-decorated function tried to create variables on non-first call. "
        "tf.function only supports singleton tf.Variables created on the first call. Make sure "
        "the tf.Variable is only created once or created outside tf.function."
    )


def conversion(features: Any) -> Callable[..., Any]:
    """What makes functions whose control flow becomes operations; it loads when it is called."""

    def convert(target: Callable[..., Any]) -> Callable[..., Any]:
        from dataflow.library.autograph.conversion import converted

        return converted(target, features)

    return convert


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Makes a graph function of a Python function, or a decorator that does.

    The Python function is run once for each kind of arguments: the types and shapes of tensors, and
    the values of what is no tensor. Operations with effects run in its order. Variables that it
    makes are made outside of it, on the first call only.

    Args:
      func: Takes and returns structures of tensors, and takes other values.
      input_signature: TensorSpecs in the structure of the arguments: then it is run only once.
      autograph: Whether `if`, `while` and `for` on tensors become operations.
      jit_compile: Is written into the graph; nothing is compiled here.
      reduce_retracing: Whether sizes, and ranks, that differ between calls are left open.
      experimental_implements: A name of what it computes, written into the graph.
      experimental_autograph_options: Members of `tf.autograph.experimental.Feature`: what else
        becomes operations.
      experimental_attributes: Further attrs of the graph function.
      experimental_relax_shapes: Whether sizes are; calls of another rank stay apart.
      experimental_compile: The former name of `jit_compile`.
      experimental_follow_type_hints: Has no effect.

    Returns:
      A `Function`. A call adds one node, `PartitionedCall` or `StatefulPartitionedCall`.

    >>> @tf.function
    ... def area(width, height):
    ...     return width * height
    >>> with tf.Session() as session:
    ...     print(session.run(area(tf.constant(3.0), tf.constant(4.0))))
    12.0
    """
    compiled = experimental_compile if jit_compile is None else jit_compile
    attrs = dict(experimental_attributes or {})
    if compiled is not None:
        attrs["_XlaMustCompile"] = bool(compiled)
    if experimental_implements is not None:
        attrs["api_implements"] = experimental_implements
    relaxes: Relaxes = "shapes" if reduce_retracing else relaxes_of(experimental_relax_shapes)
    convert = conversion(experimental_autograph_options) if autograph else None

    def decorated(inner: Callable[..., Any]) -> Function:
        plain = inner.func if isinstance(inner, functools.partial) else inner
        name = getattr(plain, "__name__", type(plain).__name__)
        return Function(inner, name, input_signature, attrs, relaxes, convert)

    return decorated if func is None else decorated(func)
