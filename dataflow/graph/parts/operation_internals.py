"""What programs ask of an operation's insides by the names that TensorFlow 1 has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.shapes import as_shape

if TYPE_CHECKING:
    from traceback import FrameSummary

    from dataflow.schema.opdef import OpDef


class OperationInternals:
    """The names; what they stand for is the operation's own."""

    __slots__ = ()

    op_def: OpDef
    _id: int
    get_attr: Callable[[str], Any]
    _set_attr: Callable[[str, Any], None]

    if TYPE_CHECKING:

        @property
        def traceback(self) -> list[FrameSummary]: ...

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
    def _traceback(self) -> list[FrameSummary]:
        return self.traceback

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
