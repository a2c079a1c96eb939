"""variable_scope and get_variable: variables by name, made once and shared."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tracebacks import shortened
from dataflow.graph.variable_request import VariableRequest
from dataflow.graph.variable_scope_object import (
    AUTO_REUSE,
    VariableScope,
    get_variable_scope,
    get_variable_scope_store,
)
from dataflow.values import dtypes
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables.store import get_variable_store
from dataflow.variables.variable import Variable


@shortened
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Variable:
    """The variable of that name in the variable scope: made, or the one there is, as `reuse` says.

    What is None is taken from the variable scope.

    Args:
      name: Name within the variable scope.
      shape: Shape of the variable.
      dtype: Element type.
      initializer: Makes the initial value of a shape; or the value, a tensor or what converts to
        one; or a function without arguments that gives it. `glorot_uniform_initializer()` by
        default, zeros for types that are no floats.
      regularizer: Function of a new variable whose result, if not None, is added to the collection
        `GraphKeys.REGULARIZATION_LOSSES`.
      trainable: Whether optimizers train the variable; True if None.
      collections: Graph collections it goes into; `GraphKeys.GLOBAL_VARIABLES` if None.
      caching_device: Device that reads are made to.
      partitioner: `f(shape, dtype)` giving the number of parts along each dimension; makes a
        `PartitionedVariable`.
      validate_shape: False allows an initial value whose shape is not known.
      use_resource: Whether the variable is behind a handle.
      custom_getter: `f(getter, name, *args, **kwargs)` that is called in place of this function;
        `getter` is the original.
      constraint: Function that optimizers apply to the value after an update.
      synchronization: When copies are brought together.
      aggregation: How updates of copies become one.

    Raises:
      ValueError: A new variable has no shape, or `reuse` forbids to make or to share it.

    >>> v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    >>> with tf.Session() as session:
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(v.assign_add([1.0, 2.0])))
    [2. 3.]
    """
    request = VariableRequest(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        None,
        trainable,
        collections,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        constraint,
        synchronization,
        aggregation,
    )
    found: Variable = get_variable_scope().find_variable(
        get_variable_store(), request, custom_getter
    )
    return found


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Variable:
    """Like `get_variable`, for a local variable: one that each process has for itself.

    It goes into `GraphKeys.LOCAL_VARIABLES` and is not trained.
    """
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=False,
        collections=[*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


class pure_variable_scope(AbstractContextManager[VariableScope]):
    """A variable scope without the name scope that goes with it; see `variable_scope`.

    It can be entered again and again: a `VariableScope` gives the same object each time.
    """

    def __init__(
        self,
        name_or_scope: Any,
        reuse: Any = None,
        old_name_scope: str | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        **defaults: Any,
    ) -> None:
        self._name_or_scope = name_or_scope
        self._reuse = reuse
        self._old_name_scope = old_name_scope
        self._custom_getter = custom_getter
        self._constraint = constraint
        self._defaults = defaults
        self._store = get_variable_scope_store()
        self._entered: list[tuple[VariableScope, VariableScope, dict[str, int]]] = []
        self._shared: VariableScope | None = None
        if isinstance(name_or_scope, VariableScope):
            self._shared = self._derived(
                name_or_scope,
                name_or_scope.name,
                self._reuse or name_or_scope.reuse,
                name_or_scope.original_name_scope,
            )

    def _derived(
        self, base: VariableScope, name: str, reuse: Any, name_scope: str | None
    ) -> VariableScope:
        """A scope with the defaults of `base`, less what is given here."""
        values = {
            key: getattr(base, key) if self._defaults.get(key) is None else self._defaults[key]
            for key in (
                "initializer",
                "regularizer",
                "caching_device",
                "partitioner",
                "dtype",
                "use_resource",
            )
        }
        getter = base.custom_getter
        if self._custom_getter is not None:
            getter = _nested_getter(self._custom_getter, getter)
        return VariableScope(
            reuse,
            name=name,
            name_scope=name_scope,
            custom_getter=getter,
            constraint=self._constraint,
            **values,
        )

    def __enter__(self) -> VariableScope:
        store = self._store
        old = store.current_scope
        scope = self._shared
        if scope is not None:
            store.open_variable_scope(scope.name)
            counts = dict(store.variable_scopes_count)
        else:
            name = f"{old.name}/{self._name_or_scope}" if old.name else self._name_or_scope
            name_scope = self._old_name_scope
            scope = self._derived(
                old,
                name,
                self._reuse or old.reuse,
                self._name_or_scope if name_scope is None else name_scope,
            )
            store.open_variable_scope(name)
            counts = {}
        store.current_scope = scope
        self._entered.append((old, scope, counts))
        return scope

    def check_innermost(self) -> None:
        """Raises RuntimeError if scopes that were opened inside are still open."""
        if self._store.current_scope is not self._entered[-1][1]:
            raise RuntimeError("Improper nesting of variable_scope.")

    def __exit__(self, *error: Any) -> None:
        self.check_innermost()
        store = self._store
        old, scope, counts = self._entered.pop()
        if self._shared is not None:
            store.variable_scopes_count = counts
        else:
            store.close_variable_subscopes(scope.name)
        store.current_scope = old


def _nested_getter(outer: Callable[..., Any], inner: Callable[..., Any] | None) -> Any:
    if inner is None:
        return outer

    def custom_getter(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return outer(functools.partial(inner, getter), *args, **kwargs)

    return custom_getter


class variable_scope(AbstractContextManager[VariableScope]):
    """A scope for `get_variable`: a name in front of variables' names, and defaults for them.

    `with tf.variable_scope("layer1", reuse=tf.AUTO_REUSE) as scope:` opens a name scope as well.

    Args:
      name_or_scope: The scope's name, or a scope to enter again.
      default_name: Name if `name_or_scope` is None; made unique.
      values: Tensors whose graph is made the default inside.
      initializer: Default for variables inside, as are the next ones.
      regularizer: See `get_variable`.
      caching_device: See `get_variable`.
      partitioner: See `get_variable`.
      custom_getter: See `get_variable`; it goes around that of the outer scope.
      reuse: True takes variables that exist, `AUTO_REUSE` makes those that do not; None is as the
        outer scope does.
      dtype: Default element type.
      use_resource: See `get_variable`.
      constraint: See `get_variable`.
      auxiliary_name_scope: Whether a name scope is opened.

    Raises:
      TypeError: There is no name, or an argument is of the wrong type.
      ValueError: `reuse` is not among the values it can have, or is set without a name.

    >>> with tf.variable_scope("layer"):
    ...     w = tf.get_variable("w", [1])
    >>> with tf.variable_scope("layer", reuse=True):
    ...     print(tf.get_variable("w") is w, w.name)
    True layer/w:0
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._graph = scopes.graph_of(values or ())
        self._auxiliary_name_scope = auxiliary_name_scope
        self._reuse = reuse
        self._defaults = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._pure: pure_variable_scope | None = None
        self._name_scope: scopes.name_scope | None = None
        self._exits: list[ExitStack] = []

    def __enter__(self) -> VariableScope:
        with ExitStack() as stack:
            # A scope that is entered again may come from a function that is built no more.
            if not scopes.get_default_graph().building_function:
                stack.enter_context(self._graph.as_default())
            if self._pure is None:
                entered = self._enter_first(stack)
            else:
                if self._name_scope is not None:
                    stack.enter_context(self._name_scope)
                entered = stack.enter_context(self._pure)
            self._exits.append(stack.pop_all())
        return entered

    def __exit__(self, *error: Any) -> None:
        assert self._pure is not None
        self._pure.check_innermost()
        self._exits.pop().__exit__(*error)

    def _enter_first(self, stack: ExitStack) -> VariableScope:
        target = self._name_or_scope
        if target is None:
            if self._reuse:
                raise ValueError("reuse=True cannot be used without a name_or_scope")
            wanted = self._default_name
        elif isinstance(target, (VariableScope, str)):
            wanted = target if isinstance(target, str) else target.name.split("/")[-1]
        else:
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if not self._auxiliary_name_scope:
            current = scopes.get_default_graph().get_name_scope()
            wanted = f"{current}/" if current else current
            self._name_scope = scopes.name_scope(wanted)
        elif wanted or target is None:
            self._name_scope = scopes.name_scope(wanted)
        opened = None
        if self._name_scope is not None:
            opened = stack.enter_context(self._name_scope)
        if target is None:
            assert self._default_name is not None
            target = unique_scope_name(self._default_name)
        old_name_scope = opened if isinstance(target, str) else target.original_name_scope
        self._pure = pure_variable_scope(
            target, reuse=self._reuse, old_name_scope=old_name_scope, **self._defaults
        )
        return stack.enter_context(self._pure)


def unique_scope_name(prefix: str) -> str:
    """A name that no scope was opened by yet in the current one."""
    store = get_variable_scope_store()
    current = store.current_scope.name
    full = f"{current}/{prefix}" if current else prefix
    if not store.variable_scope_count(full):
        return prefix
    number = 1
    while store.variable_scope_count(f"{full}_{number}"):
        number += 1
    return f"{prefix}_{number}"


@contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """Deprecated order of `variable_scope`'s arguments."""
    with variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool | None = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The parts of a new partitioned variable; deprecated for `get_variable` with a partitioner.

    Args:
      shape: Shape of the whole.
      slicing: The number of parts along each dimension.
      initializer: Makes the initial value.
      dtype: Element type.
      trainable: Whether optimizers train the parts.
      collections: Graph collections the parts go into.
      name: Name of the scope they are in.
      reuse: Whether they exist already.

    Raises:
      ValueError: `shape` and `slicing` differ in length, or are empty.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        if scope.custom_getter is not None:
            raise ValueError(
                "create_partitioned_variables cannot be used in a scope with a custom getter; use "
                "get_variable with a partitioner instead. Current custom getter: "
                f"{scope.custom_getter}."
            )
        with scopes.name_scope(None):
            made = get_variable_store().find_partitioned(
                VariableRequest(
                    scope.name,
                    shape,
                    dtype,
                    scope.initializer if initializer is None else initializer,
                    regularizer=scope.regularizer,
                    reuse=scope.reuse,
                    trainable=trainable,
                    collections=collections,
                    caching_device=scope.caching_device,
                    partitioner=lambda **unused: slicing,
                    use_resource=scope.use_resource,
                    constraint=scope.constraint,
                    synchronization=VariableSynchronization.AUTO,
                    aggregation=VariableAggregation.NONE,
                )
            )
    return list(made)
