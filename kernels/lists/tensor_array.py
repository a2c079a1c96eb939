"""A tensor array: the tensors of one step that a loop writes and reads one by one."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.lists.partial_shapes import Dims, agree, dims_text, merged_dims
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

CONTAINER: Final = "_tensor_arrays"
GRADIENT_CONTAINER: Final = "_tensor_array_grads"

_NUMBERS: Final = itertools.count()
_OPAQUE: Final = frozenset({dtypes.resource, dtypes.variant})
_NO_SUM: Final = frozenset({dtypes.string, dtypes.bool, *_OPAQUE})


class Zeros:
    """An element of which only the shape is known so far: it reads as zeros."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class TensorArray:
    """The elements of an array, and what may be done with them.

    The place of an element holds None before it is written, the value, `Zeros` where only the
    shape is known, or, once the value is read and dropped, its shape as a tuple. Safe to use from
    many threads: what is more than one look at a place takes the lock.
    """

    __slots__ = (
        "_clear",
        "_dims",
        "_exact",
        "_identical",
        "_lock",
        "_own",
        "_plain",
        "_seen",
        "_summed",
        "_xp",
        "container",
        "dtype",
        "dynamic",
        "elements",
        "gradients",
        "is_gradient",
        "marked_size",
        "name",
    )

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        dims: Dims | None,
        xp: Any,
        *,
        identical: bool = False,
        dynamic: bool = False,
        clear: bool = True,
        is_gradient: bool = False,
    ) -> None:
        """Makes an array of elements that are not written yet.

        Args:
          name: Its name, for messages.
          dtype: Element type.
          size: Number of elements.
          dims: The elements' shape as far as known; None for any rank.
          xp: The array library the elements belong to.
          identical: The first element written decides the shape of the others.
          dynamic: Writing behind the end makes the array longer.
          clear: Reading an element drops it.
          is_gradient: What is written to a place twice adds up.
        """
        self.name = name
        self.dtype = dtype
        self.elements: list[Any] | None = [None] * size
        """None once the array is closed."""
        self.dynamic = dynamic
        self.is_gradient = is_gradient
        self.container = GRADIENT_CONTAINER if is_gradient else CONTAINER
        self.marked_size = -1
        """Size after a split or unpack: that of a later concat or pack of the gradients."""
        self.gradients: dict[str, TensorArray] = {}
        self._xp = xp
        self._identical = identical
        self._clear = clear
        self._lock = threading.RLock()
        self._seen: set[int] = set()
        self._own: set[int] = set()
        self._summed = False
        self._plain = dtype not in _OPAQUE
        self._set_dims(dims)

    @classmethod
    def named(cls, prefix: str, *args: Any, **options: Any) -> TensorArray:
        """Makes an array with a name of its own in this process."""
        return cls(f"{prefix}_{next(_NUMBERS)}", *args, **options)

    @property
    def value(self) -> np.ndarray[Any, Any]:
        """The handle as the strings of old graphs."""
        return np.array([self.container.encode(), self.name.encode()], object)

    @property
    def identical(self) -> bool:
        """The first element written decides the shape of the others."""
        return self._identical

    @property
    def dims(self) -> Dims | None:
        """The elements' shape as far as known."""
        return self._dims

    def _set_dims(self, dims: Dims | None) -> None:
        self._dims = dims
        known = dims is not None and None not in dims
        # What a quick write compares with; None equals no shape.
        self._exact = dims if known and self._plain and not self.is_gradient else None

    def write(self, index: int, value: Any) -> None:
        """Puts a value into its place; nobody may write to the value any more.

        Raises:
          InvalidArgumentError: The place is none of the array's or taken, or the shape is wrong.
        """
        elements = self.elements
        if (
            elements is not None
            and 0 <= index < len(elements)
            and elements[index] is None
            and self._exact is not None
            and value.shape == self._exact
        ):
            elements[index] = value
            return
        with self._lock:
            if self.is_gradient and elements is not None and 0 <= index < len(elements):
                held = elements[index]
                if type(held) is Zeros and self._plain and held.shape == value.shape:
                    elements[index] = value
                    return
            self._write(index, value)

    def write_many(self, indices: Sequence[int], values: Iterable[Any]) -> None:
        """Writes several values."""
        with self._lock:
            for index, value in zip(indices, values, strict=True):
                self.write(index, value)

    def read(self, index: int) -> Any:
        """The value at a place.

        Raises:
          InvalidArgumentError: There is none, or it was dropped.
        """
        elements = self.elements
        if elements is not None and 0 <= index < len(elements):
            value = elements[index]
            kind = type(value)
            if value is not None and kind is not tuple and kind is not Zeros and self._plain:
                if self._clear:
                    elements[index] = value.shape
                else:
                    self._seen.add(index)
                return value
        with self._lock:
            return self._read(index)

    def read_many(self, indices: Iterable[int]) -> list[Any]:
        """Reads several values."""
        with self._lock:
            return [self.read(index) for index in indices]

    @property
    def size(self) -> int:
        """Number of places.

        Raises:
          InvalidArgumentError: The array is closed.
        """
        return len(self._open())

    @property
    def whole_size(self) -> int:
        """Number of the elements that make up the whole when they are joined."""
        size = self.size
        return self.marked_size if self.is_gradient else size

    def mark_size(self, size: int) -> None:
        """Notes that the first elements are the whole that a gradient has to be given for.

        What is split into an array of gradients adds to more elements than that.
        """
        if not self.is_gradient:
            self.marked_size = size

    def merge_dims(self, dims: Dims | None) -> None:
        """Takes note of what a reader knows of the elements' shape.

        Raises:
          InvalidArgumentError: It contradicts what is known.
        """
        if dims is not None and dims != self._dims:
            self._set_dims(merged_dims(self._dims, dims))

    def gradient(self, source: str, prepended: tuple[int, ...] | None = None) -> TensorArray:
        """The array of the gradients of one call of `tf.gradients`; this one stops growing.

        Args:
          source: Names the call.
          prepended: Additional outer dimensions of its elements.

        Raises:
          InvalidArgumentError: This array is closed, is one of gradients, or summed elements up.
        """
        with self._lock:
            elements = self._open()
            if self.is_gradient:
                raise invalid(f"Wrong input container. {self.container}{self.name}")
            self.dynamic = False
            if self._summed:
                raise invalid(
                    f"Unable to create a gradients TensorArray for {self.name}.  Perhaps you used "
                    "the multiple_writes_aggregate flag on a previous write?  Gradient "
                    "calculation is impossible when multiple writes are performed to the same "
                    "index."
                )
            found = self.gradients.get(source)
            if found is not None:
                return found
            outer = prepended or ()
            array = TensorArray(
                f"{self.name}@{source}",
                self.dtype,
                len(elements),
                None if self._dims is None else outer + self._dims,
                self._xp,
                identical=self._identical,
                is_gradient=True,
            )
            array.marked_size = self.marked_size
            array.elements = [
                None if e is None else Zeros(outer + self._shape_of(e)) for e in elements
            ]
            self.gradients[source] = array
            return array

    def close(self) -> None:
        """Drops all elements for good."""
        with self._lock:
            self.elements = None
            self._seen.clear()
            self._own.clear()

    def _open(self) -> list[Any]:
        elements = self.elements
        if elements is None:
            raise invalid(f"TensorArray {self.name} has already been closed.")
        return elements

    def _shape_of(self, value: Any) -> tuple[int, ...]:
        """Shape of what a place holds; a handle or list is a scalar whatever it calls a shape."""
        if type(value) is tuple:
            return value
        if self._plain or type(value) in (np.ndarray, Zeros):
            return tuple(value.shape)
        return ()

    def _write(self, index: int, value: Any) -> None:
        elements = self._open()
        if index < 0 or (not self.dynamic and index >= len(elements)):
            raise invalid(
                f"TensorArray {self.name}: Tried to write to index {index} but array is not "
                f"resizeable and size is: {len(elements)}"
            )
        if index >= len(elements):
            elements.extend([None] * (index + 1 - len(elements)))
        shape = self._shape_of(value)
        if not agree(self._dims, shape):
            raise self._refused(
                index,
                f"because the value shape is {shape_text(shape)} which is incompatible with the "
                f"TensorArray's inferred element shape: {dims_text(self._dims)} (consider setting "
                "infer_shape=False).",
            )
        if self._identical and (self._dims is None or None in self._dims):
            self._set_dims(shape)
        held = elements[index]
        if type(held) is tuple or index in self._seen:
            raise self._refused(index, "because it has already been read.")
        if held is None:
            elements[index] = value
        elif self.is_gradient:
            elements[index] = self._sum(index, held, value)
        else:
            raise self._refused(index, "because it has already been written to.")

    def _sum(self, index: int, held: Any, value: Any) -> Any:
        shape = self._shape_of(held)
        if shape != self._shape_of(value):
            raise invalid(
                f"TensorArray {self.name}: Could not aggregate to TensorArray index {index} "
                f"because the existing shape is {shape_text(shape)} but the new input shape is "
                f"{shape_text(self._shape_of(value))}."
            )
        if type(held) is Zeros:
            return value
        if self.dtype in _NO_SUM:
            raise invalid(f"tensor_array::AddToTensor type not supported: {type_name(self.dtype)}")
        self._summed = True
        if index in self._own:
            return self._xp.add(held, value, out=held)
        if shape:
            self._own.add(index)
        return self._xp.add(held, value)

    def _refused(self, index: int, why: str) -> Exception:
        return invalid(
            f"TensorArray {self.name}: Could not write to TensorArray index {index} {why}"
        )

    def _read(self, index: int) -> Any:
        elements = self._open()
        if index < 0 or (not self.is_gradient and index >= len(elements)):
            raise invalid(f"Tried to read from index {index} but array size is: {len(elements)}")
        held = elements[index] if index < len(elements) else None
        if held is None:
            missing = Zeros(self._missing_shape(index))
            elements.extend([missing] * (index + 1 - len(elements)))
            elements[index] = held = missing
        if type(held) is tuple:
            raise invalid(
                f"TensorArray {self.name}: Could not read index {index} twice because it was "
                "cleared after a previous read (perhaps try setting clear_after_read = false?)."
            )
        value = self._zeros(held.shape) if type(held) is Zeros else held
        if self._clear:
            elements[index] = self._shape_of(value)
        else:
            elements[index] = value
            self._seen.add(index)
        return value

    def _missing_shape(self, index: int) -> tuple[int, ...]:
        """Shape of the zeros that stand for an element nobody wrote."""
        dims = self._dims
        if dims is None or None in dims:
            raise invalid(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  "
                f"Furthermore, the element shape is not fully defined: {dims_text(dims)}.  It is "
                "possible you are working with a resizeable TensorArray and stop_gradients is not "
                "allowing the gradients to be written.  If you set the full element_shape "
                "property on the forward TensorArray, the proper all-zeros tensor will be "
                "returned instead of incurring this error."
            )
        return tuple(size for size in dims if size is not None)

    def _zeros(self, shape: tuple[int, ...]) -> Any:
        if self.dtype is dtypes.string or not self._plain:
            raise invalid(
                f"tensor_array::TensorSetZero type not supported: {type_name(self.dtype)}"
            )
        zeros = self._xp.zeros(shape, self.dtype.as_numpy_dtype)
        return zeros if shape or self._xp is not np else zeros[()]
