"""What programs ask of an operation's insides by the names that TensorFlow 1 has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dataflow.graph.creation_site import CreationSite, StackFrame, site_of_frames
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.shapes import as_shape

if TYPE_CHECKING:
    from dataflow.schema.opdef import OpDef


class OperationInternals:
    """The names; what they stand for is the operation's own."""

    __slots__ = ()

    op_def: OpDef
    _id: int
    get_attr: Callable[[str], Any]
    _set_attr: Callable[[str, Any], None]
    _set_creation_site: Callable[[CreationSite | None], None]

    if TYPE_CHECKING:

        @property
        def traceback_with_start_lines(self) -> list[tuple[Any, ...]]: ...

        @property
        def _input_types(self) -> list[DType]: ...

    def mark_used(self) -> None:
        """Says that the operation is meant to be left alone, of which nothing warns here."""

    @property
    def _op_def(self) -> OpDef:
        return self.op_def

    @property
    def _id_value(self) -> int:
        return self._id

    @property
    def _traceback(self) -> list[StackFrame]:
        """The frames of the program that made the operation; a test may set or delete them."""
        return [
            StackFrame(filename, line, name, None, start)
            for filename, line, name, _, start in self.traceback_with_start_lines
        ]

    @_traceback.setter
    def _traceback(self, frames: Iterable[Any]) -> None:
        self._set_creation_site(site_of_frames(frames))

    @_traceback.deleter
    def _traceback(self) -> None:
        self._set_creation_site(None)

    @property
    def _input_dtypes(self) -> list[DType]:
        return self._input_types

    def _get_attr_type(self, name: str) -> DType:
        return as_dtype(self.get_attr(name))

    def _get_attr_bool(self, name: str) -> bool:
        return bool(self.get_attr(name))

    def _get_attr_int(self, name: str) -> int:
        return int(self.get_attr(name))

    def _set_func_attr(self, attr_name: str, func_name: str) -> None:
        self._set_attr(attr_name, _function(func_name))

    def _set_func_list_attr(self, attr_name: str, func_names: Iterable[str]) -> None:
        self._set_attr(attr_name, tuple(map(_function, func_names)))

    def _set_type_list_attr(self, attr_name: str, types: Iterable[Any]) -> None:
        self._set_attr(attr_name, tuple(map(as_dtype, types)))

    def _set_shape_list_attr(self, attr_name: str, shapes: Iterable[Any]) -> None:
        self._set_attr(attr_name, tuple(map(as_shape, shapes)))


def _function(name: str) -> NameAttrList:
    return NameAttrList(name)
