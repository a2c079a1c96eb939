"""Tensor: the symbolic handle of one output of an operation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn

from dataflow.errors import OperatorNotAllowedInGraphError
from dataflow.graph import default_stacks
from dataflow.graph.arithmetic import Arithmetic
from dataflow.graph.tracebacks import shortened
from dataflow.schema import shape_functions
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape, as_shape

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation

HandleData = tuple[tuple[DType, TensorShape], ...]
"""Element type and shape of what a resource handle points to."""

_LOGICAL = ("and", "or", "xor")
_ARITHMETIC = ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "matmul", *_LOGICAL)
_COMPARISONS = ("lt", "le", "gt", "ge", "ne", "eq")
_UNARY = ("getitem", "invert", "neg", "abs")


class Tensor(Arithmetic):
    """One output of an `Operation`. It holds no value: `Session.run` computes one.

    Attributes beyond TensorFlow's: `handle_data`, for a tensor of dtype resource, is the element
    type and shape of the variable behind the handle, as far as known.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_consumers",
        "_dtype",
        "_op",
        "_value_index",
        "handle_data",
    )
    # numpy's operators must leave the work to ours when a Tensor stands on the right.
    __array_priority__ = 100
    OVERLOADABLE_OPERATORS: Final = set(
        [f"__{name}__" for name in (*_ARITHMETIC, *_COMPARISONS, *_UNARY)]
        + [f"__r{name}__" for name in _ARITHMETIC]
    )
    """A set, as TensorFlow's is: libraries add to it."""

    def __init__(self, op: Operation, value_index: int, dtype: DType, shape: TensorShape) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        # No slot: programs that open the batch size of an imported graph put another shape into the
        # tensor's `__dict__` under this name.
        self._shape_val = shape
        self._consumers: list[Operation] = []
        self.handle_data: HandleData | None = None

    @property
    def op(self) -> Operation:
        """The operation that computes this tensor."""
        return self._op

    @property
    def value_index(self) -> int:
        """Which output of `op` this is."""
        return self._value_index

    @property
    def dtype(self) -> DType:
        """Element type; a ref type for the output of a variable."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds the tensor."""
        return self._op.graph

    @property
    def name(self) -> str:
        """`<op name>:<output index>`."""
        return f"{self._op.name}:{self._value_index}"

    @property
    def device(self) -> str:
        """The device asked for the operation that computes this tensor, or ""."""
        return self._op.device

    @property
    def shape(self) -> TensorShape:
        """Static shape, as far as it is known while building."""
        return self._shape_val

    @property
    def ndim(self) -> int | None:
        """Static rank, or None if unknown."""
        rank: int | None = self._shape_val.rank
        return rank

    def get_shape(self) -> TensorShape:
        """Static shape, as far as it is known while building."""
        return self._shape_val

    @property
    def _shape(self) -> TensorShape:
        """The static shape, where TensorFlow kept it before 1.4; may be another one than before."""
        return self._shape_val

    @_shape.setter
    def _shape(self, shape: Any) -> None:
        self._shape_val = as_shape(shape)

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape by what the caller knows.

        Raises:
          ValueError: `shape` contradicts what is known.
        """
        self._shape_val = shape_functions.merge(self._shape_val, as_shape(shape))

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as an input, as often as they do."""
        return list(self._consumers)

    def _as_tf_output(self) -> Tensor:
        """The tensor itself, as `Graph._c_graph` is the graph."""
        return self

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        """The static shape as a tuple, or None if the rank is not known."""
        return None if self.shape.ndims is None else tuple(self.shape.as_list())

    def _shape_as_list(self) -> list[int | None] | None:
        """The static shape as a list, or None if the rank is not known."""
        return None if self.shape.ndims is None else self.shape.as_list()

    def _rank(self) -> int | None:
        """The rank, or None if it is not known."""
        rank: int | None = self.shape.ndims
        return rank

    @shortened
    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Computes the tensor in `session` or the default session.

        Raises:
          ValueError: There is no session to run in, or it holds another graph.
        """
        return default_stacks.evaluate(
            self, feed_dict, self.graph, session, "evaluate tensor", "eval"
        )

    def experimental_ref(self) -> TensorReference:
        """Like `ref`."""
        return TensorReference(self)

    def ref(self) -> TensorReference:
        """A hashable reference, for use as a key in dictionaries."""
        return TensorReference(self)

    @staticmethod
    def _override_operator(operator: str, function: Callable[..., Any]) -> None:
        """Installs an operator; the op families own what operators mean."""
        if operator not in Tensor.OVERLOADABLE_OPERATORS:
            raise ValueError(
                f"Overriding {operator} is disallowed. "
                f"Allowed operators are {sorted(Tensor.OVERLOADABLE_OPERATORS)}."
            )
        setattr(Tensor, operator, function)

    def _as_node_def_input(self) -> str:
        return self._op.name if self._value_index == 0 else self.name

    def __str__(self) -> str:
        shape = f", shape={self._shape_val}" if self._shape_val.rank is not None else ""
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape_val} dtype={self._dtype.name}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> Tensor:
        return self

    @shortened
    def __bool__(self) -> NoReturn:
        _disallow("using a `tf.Tensor` as a Python `bool`")

    __nonzero__ = __bool__

    @shortened
    def __iter__(self) -> Iterator[Any]:
        _disallow("iterating over `tf.Tensor`")

    @shortened
    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for symbolic Tensors. ({self.name}) "
            "Please call `x.shape` rather than `len(x)` for shape information."
        )

    @shortened
    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )


class TensorReference:
    """Wraps a tensor so that it can be a key: equal if the tensors are the same object."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def deref(self) -> Tensor:
        """The tensor."""
        return self._tensor

    def __hash__(self) -> int:
        return id(self._tensor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorReference) and other._tensor is self._tensor

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._tensor!r}>"


def _disallow(task: str) -> NoReturn:
    raise OperatorNotAllowedInGraphError(
        f"{task} is not allowed in Graph execution. In Graph mode a tensor has no value until a "
        "session runs it: use "
        "`if t is not None:` to test if it is defined, tf.cond or tf.where to choose by its value, "
        "tf.map_fn or tf.unstack to go through its rows, and Session.run to get its value."
    )


def lend_operators(kind: type, tensor_of: Callable[[Any], Tensor], without: Iterable[str]) -> None:
    """Gives a class the operators of tensors, applied to the tensor each of its objects stands for.

    Args:
      kind: The class.
      tensor_of: Gives the tensor of an object.
      without: Operators that the class has itself.
    """

    def install(operator: str) -> None:
        @functools.wraps(getattr(Tensor, operator))
        def apply(self: Any, *args: Any) -> Any:
            return getattr(Tensor, operator)(tensor_of(self), *args)

        setattr(kind, operator, apply)

    for operator in Tensor.OVERLOADABLE_OPERATORS.difference(without):
        install(operator)
