"""oneDNN's primitives: code made for one computation on arrays of one shape, for any thread."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dataflow.kernels.memory.workspace import buffer
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, REORDER, Library, OneDnnError

SOURCE: Final = 1
RESULT: Final = 17
WEIGHTS: Final = 33
BIAS: Final = 41
SOURCE_GRADIENT: Final = 129
RESULT_GRADIENT: Final = 145
WEIGHTS_GRADIENT: Final = 161
SCALE_GRADIENT: Final = 255
OFFSET_GRADIENT: Final = 256
MEAN: Final = 49
VARIANCE: Final = 50
SCALE: Final = 51
OFFSET: Final = 52
WORKSPACE: Final = 64
_SCRATCHPAD: Final = 80
SECOND_SOURCE: Final = 2
"""Roles of a primitive's arrays."""
SUM: Final = -1
"""Stands for the operation that adds what the result's memory holds."""
POST_OPERATION: Final = 32768
"""Times a post-operation's place, counted from 1, and with SECOND_SOURCE: its operand's role."""

_LAYOUTS: Final = {
    SOURCE: 129,
    SOURCE_GRADIENT: 130,
    WEIGHTS: 131,
    WEIGHTS_GRADIENT: 132,
    RESULT: 133,
    RESULT_GRADIENT: 134,
    WORKSPACE: 135,
    _SCRATCHPAD: 136,
}
"""What to ask a description for, to learn the layout of an array."""

MOST_AXES: Final = 12
"""Of an array whose layout oneDNN can be told."""
_IMPLEMENTATION: Final = 8
FLOAT16: Final = 1
BFLOAT16: Final = 2
_FLOAT32: Final = 3
"""Types of elements."""
_AS_IT_IS: Final = 0
"""Of what the result's memory holds: its type is that of the result."""
_ANY: Final = 1
_USER_SCRATCHPAD: Final = 1
_SLOW: Final = (b"ref", b"simple")
"""Names of implementations that only show what is right."""


class _Argument(ctypes.Structure):
    _fields_ = (("role", ctypes.c_int), ("memory", ctypes.c_void_p))


class Layout:
    """How the elements of an array, of float32 unless told otherwise, lie in memory."""

    __slots__ = ("_library", "handle")

    def __init__(
        self,
        library: Library,
        shape: Sequence[int],
        strides: Sequence[int] | None,
        kind: int = _FLOAT32,
    ) -> None:
        """A layout with these strides in elements, or, for a description, any that is fast."""
        self._library = library
        sizes = dims(shape)
        if strides is None:
            name, how = "dnnl_memory_desc_create_with_tag", _ANY
            self.handle = library.create(name, len(shape), sizes, kind, how)
        else:
            name = "dnnl_memory_desc_create_with_strides"
            self.handle = library.create(name, len(shape), sizes, kind, dims(strides))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._library.call("dnnl_memory_desc_destroy", self.handle)


@dataclass(frozen=True, slots=True)
class PostOperation:
    """An elementwise operation on the results while they are in registers."""

    function: int
    """What oneDNN numbers it by, or `SUM`."""
    operand: Layout | None = None
    """The second operand's layout, of a binary operation."""
    alpha: float = 0.0
    beta: float = 0.0
    """What a unary operation is made with."""


class Description:
    """A computation that oneDNN has chosen an implementation and layouts for."""

    def __init__(
        self,
        library: Library,
        function: str,
        *arguments: Any,
        after: Sequence[PostOperation] = (),
    ) -> None:
        """Describes a computation.

        Args:
          library: The library.
          function: The one that creates the description.
          *arguments: What it takes between the engine and the attributes.
          after: What is done with the results, in this order.

        Raises:
          OneDnnError: It has no implementation, or only one that is slow.
        """
        self.library = library
        attributes = library.create("dnnl_primitive_attr_create")
        try:
            library.call("dnnl_primitive_attr_set_scratchpad_mode", attributes, _USER_SCRATCHPAD)
            if after:
                _append(library, attributes, after)
            plain = [a.handle if isinstance(a, Layout) else a for a in arguments]
            engine = () if function == REORDER else (library.engine,)
            self.handle = library.create(function, *engine, *plain, attributes)
        finally:
            library.call("dnnl_primitive_attr_destroy", attributes)
        name = ctypes.c_char_p()
        where = ctypes.byref(name)
        library.call("dnnl_primitive_desc_query", self.handle, _IMPLEMENTATION, 0, where)
        if function != REORDER and (name.value or b"").startswith(_SLOW):
            raise OneDnnError(f"{function} has only an implementation for reference.")

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.library.call("dnnl_primitive_desc_destroy", self.handle)

    def layout(self, role: int) -> int:
        """Handle of the layout of an array; valid while the description lives."""
        found: int = self.library.query_layout(self.handle, _LAYOUTS[role], 0)
        return found

    def size(self, role: int) -> int:
        """Bytes of an array."""
        found: int = self.library.layout_size(self.layout(role))
        return found


def _append(library: Library, attributes: int, after: Sequence[PostOperation]) -> None:
    """Writes operations into the attributes."""
    operations = library.create("dnnl_post_ops_create")
    try:
        for one in after:
            if one.function == SUM:
                library.call("dnnl_post_ops_append_sum", operations, 1.0, 0, _AS_IT_IS)
            elif one.operand is None:
                how = "dnnl_post_ops_append_eltwise"
                library.call(how, operations, one.function, one.alpha, one.beta)
            else:
                how = "dnnl_post_ops_append_binary"
                library.call(how, operations, one.function, one.operand.handle)
        library.call("dnnl_primitive_attr_set_post_ops", attributes, operations)
    finally:
        library.call("dnnl_post_ops_destroy", operations)


class Primitive:
    """A computation, ready to run."""

    def __init__(self, description: Description, layouts: Iterable[tuple[int, Any]]) -> None:
        """Compiles a computation.

        Args:
          description: The computation.
          layouts: Role and layout of each array, in the order in which `run` gets them.

        Raises:
          OneDnnError: It could not be compiled.
        """
        self._library = library = description.library
        self._description = description
        # Layouts live as long as what was made of them.
        self._layouts = tuple(layouts)
        self._scratchpad = description.size(_SCRATCHPAD)
        self._handle = library.create("dnnl_primitive_create", description.handle)
        self._idle: list[_Call] = []

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._library.call("dnnl_primitive_destroy", self._handle)

    def run(self, *addresses: int) -> None:
        """Runs it on the arrays at these addresses, on this thread.

        Raises:
          OneDnnError: oneDNN says it failed.
        """
        library = self._library
        before = library.threads()
        if before == 1:
            self.run_together(*addresses)
            return
        library.set_threads(1)
        try:
            self.run_together(*addresses)
        finally:
            library.set_threads(before)

    def run_together(self, *addresses: int) -> None:
        """Runs it on the arrays at these addresses, on as many threads as OpenMP now uses.

        Raises:
          OneDnnError: oneDNN says it failed.
        """
        try:
            call = self._idle.pop()
        except IndexError:
            call = self._new_call()
        library = self._library
        set_handle, known = library.set_handle, call.addresses
        for place, address in enumerate(addresses):
            if known[place] != address:
                set_handle(call.memories[place], address)
                known[place] = address
        if self._scratchpad:
            scratchpad = buffer("oneDNN", self._scratchpad)
            address = address_of(scratchpad)
            if known[-1] != address:
                set_handle(call.memories[-1], address)
                known[-1] = address
        status = library.execute(self._handle, library.stream, len(call.memories), call.arguments)
        self._idle.append(call)
        if status:
            raise OneDnnError(f"dnnl_primitive_execute failed with status {status}.")

    def _new_call(self) -> _Call:
        layouts = [(r, x.handle if isinstance(x, Layout) else x) for r, x in self._layouts]
        if self._scratchpad:
            layouts.append((_SCRATCHPAD, self._description.layout(_SCRATCHPAD)))
        return _Call(self._library, layouts)


class _Call:
    """The arguments of one call; of several calls at a time each has its own."""

    __slots__ = ("_library", "addresses", "arguments", "memories")

    def __init__(self, library: Library, layouts: Sequence[tuple[int, int]]) -> None:
        self._library = library
        self.memories: list[int] = []
        for _, layout in layouts:
            self.memories.append(library.create("dnnl_memory_create", layout, library.engine, None))
        self.addresses = [0] * len(self.memories)
        """Where the memories are."""
        roles = (role for role, _ in layouts)
        pairs = zip(roles, self.memories, strict=True)
        self.arguments = (_Argument * len(layouts))(*(_Argument(r, m) for r, m in pairs))

    def __del__(self) -> None:
        for memory in self.memories:
            self._library.call("dnnl_memory_destroy", memory)


def reorder(library: Library, source: Any, result: Any) -> Primitive:
    """What copies an array from one layout to another; `run` gets both addresses.

    The description that a layout belongs to must live longer.

    Raises:
      OneDnnError: oneDNN cannot.
    """
    given, wanted = (x.handle if isinstance(x, Layout) else x for x in (source, result))
    engine = library.engine
    description = Description(library, REORDER, given, engine, wanted, engine)
    return Primitive(description, ((SOURCE, source), (RESULT, result)))


def dims(values: Sequence[int]) -> Any:
    """Sizes as oneDNN takes them."""
    return (ctypes.c_int64 * MOST_AXES)(*values)


def dense(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides, in elements, of an array of this shape whose elements lie side by side."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def are_float32(*arrays: Any) -> bool:
    """True if oneDNN is there and the arrays are of its type."""
    return onednn.find() is not None and all(array.dtype == FLOAT32 for array in arrays)


def plain(array: Any) -> Any:
    """The array, or a copy whose elements lie side by side at an address that fits them."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else array.copy(order="C")
