"""BaseVariable: what reference variables and resource variables have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import dataflow.ops.array.index as array_index
import dataflow.ops.operators  # noqa: F401  (a variable's operators are those of its value)
from dataflow.control_flow.cond import cond
from dataflow.graph import default_stacks, scopes
from dataflow.graph.arithmetic import Arithmetic
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor, lend_operators
from dataflow.proto.variable_pb2 import VariableDef
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization
from dataflow.variables import slices as variable_slices
from dataflow.variables.partial_updates import PartialUpdates


class BaseVariable(PartialUpdates, Arithmetic):
    """A value that is kept from step to step.

    It stands for its value wherever a tensor may stand, has the operators of one, and can be
    fetched and fed.
    """

    SaveSliceInfo = variable_slices.SaveSliceInfo
    # numpy's operators must leave the work to ours when a variable stands on the right.
    __array_priority__ = 100
    _is_dense_tensor_like = True

    _initial_value: Tensor | None
    _initializer_op: Operation
    _constraint: Callable[[Any], Any] | None
    _trainable: bool
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation
    _caching_device: Any
    _save_slice_info: variable_slices.SaveSliceInfo | None = None

    # What the two kinds do each in their way

    @property
    def name(self) -> str:
        """Name of the variable: `<op name>:0`."""
        raise NotImplementedError

    @property
    def op(self) -> Operation:
        """The operation that gives the reference or the handle."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """Element type; a ref type for a reference variable."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """Static shape of the value."""
        raise NotImplementedError

    def value(self) -> Tensor:
        """The value, as operations take it."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """The value, read where this is called: after the control dependencies in force here."""
        raise NotImplementedError

    def initialized_value(self) -> Tensor:
        """The value, or the initial value if the variable has none when this runs."""
        with scopes.init_scope():
            result: Tensor = cond(
                self.is_initialized(), self.read_value, lambda: self._initial_value
            )
            return result

    def assign(
        self, value: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Gives the variable a value."""
        raise NotImplementedError

    def assign_add(
        self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds to the variable."""
        raise NotImplementedError

    def assign_sub(
        self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts from the variable."""
        raise NotImplementedError

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable holds a value: a scalar bool tensor."""
        raise NotImplementedError

    def _as_graph_element(self) -> Tensor:
        raise NotImplementedError

    # What they share

    @property
    def graph(self) -> Graph:
        """The graph that holds the variable."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device asked for, or ""."""
        return self.op.device

    @property
    def initializer(self) -> Operation:
        """The operation that gives the variable its initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor | None:
        """The tensor that the initializer assigns."""
        return self._initial_value

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply to the value after an update, or None."""
        return self._constraint

    @property
    def trainable(self) -> bool:
        """True if optimizers are to train the variable."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How updates of copies become one."""
        return self._aggregation

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    @property
    def _distribute_strategy(self) -> None:
        return None

    def get_shape(self) -> TensorShape:
        """Static shape of the value."""
        return self.shape

    def eval(self, session: Any = None) -> Any:
        """The value in `session`, or in the default session.

        Raises:
          ValueError: There is no session to run in, or it holds another graph.
        """
        return self._as_graph_element().eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Gives the variable a value in `session`, or in the default session.

        It is fed in place of the initial value, so that the graph does not grow.

        Raises:
          ValueError: There is no session.
        """
        session = session or default_stacks.sessions.top()
        if session is None:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established"
            )
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def ref(self) -> VariableReference:
        """A hashable reference, for use as a key in dictionaries."""
        return VariableReference(self)

    def experimental_ref(self) -> VariableReference:
        """Like `ref`."""
        return VariableReference(self)

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> BaseVariable:
        """A variable whose nodes are in the default graph already; see `to_proto`."""
        raise NotImplementedError

    def to_proto(self, export_scope: str | None = None) -> VariableDef | None:
        """The names of the variable's nodes, or None if it is not in the scope to export."""
        raise NotImplementedError

    def _set_save_slice_info(self, info: variable_slices.SaveSliceInfo | None) -> None:
        """Says which part of a larger variable this is."""
        self._save_slice_info = info

    def _get_save_slice_info(self) -> variable_slices.SaveSliceInfo | None:
        return self._save_slice_info

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def __getitem__(self, index: Any) -> Tensor:
        return array_index.getitem(self.value(), index, self)


class VariableReference:
    """Wraps a variable so that it can be a key: equal if the variables are the same object."""

    __slots__ = ("_variable",)

    def __init__(self, variable: BaseVariable) -> None:
        self._variable = variable

    def deref(self) -> BaseVariable:
        """The variable."""
        return self._variable

    def __hash__(self) -> int:
        return id(self._variable)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableReference) and other._variable is self._variable

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._variable!r}>"


def checked_collections(collections: Any, trainable: bool) -> list[Any]:
    """The collections a new variable goes into.

    Raises:
      ValueError: `collections` is no list, tuple or set.
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. "
            f"Got {collections} of type {type(collections)}"
        )
    names = list(collections)
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    return names


lend_operators(
    BaseVariable, lambda variable: variable.value(), without=("__eq__", "__ne__", "__getitem__")
)
