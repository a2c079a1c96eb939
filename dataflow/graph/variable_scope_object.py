"""VariableScope: the defaults that `get_variable` takes from the scope it is called in."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.variable_request import VariableRequest
from dataflow.values import dtypes

_DEFAULTS = (
    "dtype",
    "initializer",
    "regularizer",
    "reuse",
    "caching_device",
    "partitioner",
    "use_resource",
    "constraint",
)
"""What a scope has for requests that leave it open."""


class ReuseMode(enum.Enum):
    """What `reuse` can be besides True, False and None."""

    AUTO_REUSE = 1


AUTO_REUSE = ReuseMode.AUTO_REUSE
"""For `reuse`: takes the variable there is, or makes it if there is none."""


class VariableScope:
    """The defaults of a variable scope; see `variable_scope` for what they mean.

    Attributes are read by `get_variable`; the setters change them for what is made from then on.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str | None = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """What is put in front of the names of variables, less a slash."""
        return self._name

    @property
    def original_name_scope(self) -> str | None:
        """The name scope that was opened with this scope for the first time."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """True, False, None or AUTO_REUSE."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """Makes initial values."""
        return self._initializer

    @property
    def dtype(self) -> Any:
        """Element type."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether variables are made behind handles; None leaves it to the outer default."""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """Makes a loss of a variable."""
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        """Where variables are read to."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """Cuts variables up."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """Makes variables in place of `get_variable`."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """What optimizers apply to a variable after an update."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From now on takes variables that exist, and makes none."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets `initializer`."""
        self._initializer = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets `dtype`."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets `use_resource`."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets `regularizer`."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets `caching_device`."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets `partitioner`."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets `custom_getter`."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """What of a graph collection is named within this scope."""
        return scopes.get_collection(name, f"{self._name}/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """The scope's variables that optimizers are to train."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The scope's variables that are shared and saved."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The scope's variables that each process has for itself."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: Any,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """The variable of that name in this scope; see `tf.get_variable`."""
        return self.find_variable(
            var_store,
            VariableRequest(
                name,
                shape,
                dtype,
                initializer,
                regularizer,
                reuse,
                trainable,
                collections,
                caching_device,
                partitioner,
                validate_shape,
                use_resource,
                constraint,
                synchronization,
                aggregation,
            ),
            custom_getter,
        )

    def find_variable(self, store: Any, request: VariableRequest, custom_getter: Any = None) -> Any:
        """The variable of a store that a request asks for, with the defaults of this scope."""
        initializer, dtype = request.initializer, request.dtype
        # Variable names only depend on the variable scope, whatever name scope is open.
        with scopes.name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                given = convert_to_tensor(initializer).dtype.base_dtype
                if given != dtype:
                    raise ValueError(
                        f"Initializer type '{given}' and explicit dtype '{dtype}' don't match."
                    )
            missing = {
                field: getattr(self, field)
                for field in _DEFAULTS
                if getattr(request, field) is None
            }
            full_name = f"{self._name}/{request.name}" if self._name else request.name
            return store.find_variable(
                replace(request, name=full_name, **missing),
                self._custom_getter if custom_getter is None else custom_getter,
            )


class VariableScopeStore(threading.local):
    """A graph's open variable scope and the names scopes were opened by, for each thread."""

    def __init__(self) -> None:
        super().__init__()
        self.current_scope = VariableScope(False)
        self.variable_scopes_count: dict[str, int] = {}

    def open_variable_scope(self, scope_name: str) -> None:
        """Counts a scope of that name."""
        count = self.variable_scopes_count.get(scope_name, 0)
        self.variable_scopes_count[scope_name] = count + 1

    def close_variable_subscopes(self, scope_name: str | None) -> None:
        """Forgets the scopes within a scope, or all for None."""
        for name in self.variable_scopes_count:
            if scope_name is None or name.startswith(f"{scope_name}/"):
                self.variable_scopes_count[name] = 0

    def variable_scope_count(self, scope_name: str) -> int:
        """How many scopes of that name were opened."""
        return self.variable_scopes_count.get(scope_name, 0)


_STORE_KEY = ("__varscope",)


def get_variable_scope_store() -> VariableScopeStore:
    """The store of the default graph."""
    store: VariableScopeStore = kept_by_graph(_STORE_KEY, VariableScopeStore)
    return store


def get_variable_scope() -> VariableScope:
    """The variable scope that is open in the default graph on this thread."""
    return get_variable_scope_store().current_scope


def kept_by_graph(key: Any, make: Callable[[], Any]) -> Any:
    """The one object in a collection of the default graph, made if there is none yet."""
    kept = scopes.get_collection_ref(key)
    if not kept:
        kept.append(make())
    return kept[0]
