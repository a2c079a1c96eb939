"""SaveSliceInfo: which part of a larger variable a variable is, for checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dataflow.proto.variable_pb2 import SaveSliceInfoDef
from dataflow.values.scope_names import prepend_name_scope, strip_name_scope

if TYPE_CHECKING:
    from typing_extensions import Self


class SaveSliceInfo:
    """The place of a slice in the variable it is saved as part of.

    Args:
      full_name: Name of the whole variable.
      full_shape: Its shape.
      var_offset: Where the slice starts, along each dimension.
      var_shape: Shape of the slice.
      save_slice_info_def: Takes all of these from a message.
      import_scope: Name scope to put in front of the name in the message.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: SaveSliceInfoDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def:
            self.full_name: str | None = prepend_name_scope(
                save_slice_info_def.full_name, import_scope
            )
            self.full_shape: Sequence[int] | None = list(save_slice_info_def.full_shape)
            self.var_offset: Sequence[int] | None = list(save_slice_info_def.var_offset)
            self.var_shape: Sequence[int] | None = list(save_slice_info_def.var_shape)
        else:
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The form checkpoints use: "10 20 0,5:0,20" is 5 of 10 rows, all of 20 columns."""
        assert self.full_shape is not None
        assert self.var_offset is not None
        assert self.var_shape is not None
        sizes = "".join(f"{d} " for d in self.full_shape)
        extents = zip(self.var_offset, self.var_shape, strict=True)
        return sizes + ":".join(f"{offset},{size}" for offset, size in extents)

    @classmethod
    def from_spec(cls, spec: str) -> Self:
        """Reads what `spec` gives.

        Raises:
          ValueError: The text is not of that form.
        """
        if not spec:
            return cls()
        head, separator, tail = spec.rpartition(" ")
        if not separator:
            raise ValueError("Spec string must contain space-separated full_shape info.")
        full_shape = [
            _integer(d, "full_shape must be a sequence of integers") for d in head.split()
        ]
        offsets, sizes = [], []
        for part in tail.split(":"):
            offset, separator, size = part.partition(",")
            if not separator or "," in size:
                raise ValueError(
                    "Spec string must contain comma-separated pairs of offsets and shapes."
                )
            offsets.append(_integer(offset, "var_offset must be an integer"))
            sizes.append(_integer(size, "var_shape must be an integer"))
        return cls(full_shape=full_shape, var_offset=offsets, var_shape=sizes)

    def to_proto(self, export_scope: str | None = None) -> SaveSliceInfoDef | None:
        """The message, or None if the variable is not in the name scope to export."""
        name = self.full_name or ""
        if export_scope is not None and not name.startswith(export_scope):
            return None
        return SaveSliceInfoDef(
            full_name=strip_name_scope(name, export_scope),
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


def _integer(text: str, rule: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"Spec string {rule}. Found '{text}', which is not an integer.") from None
