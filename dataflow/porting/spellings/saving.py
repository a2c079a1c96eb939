"""tensorflow.python.training.saver_test_utils: a table that says itself how it is saved."""

from __future__ import annotations

from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.porting.spellings.raw import op
from dataflow.values import dtypes


class CheckpointedOp:
    """A table of floats by text."""

    def __init__(self, name: str, table_ref: Tensor | None = None) -> None:
        """Makes a table, or takes one.

        Args:
          name: Of the table, and of what is saved.
          table_ref: The table's handle.
        """
        self.name = name
        self.table_ref = table_ref
        if table_ref is None:
            self.table_ref = op("MutableHashTableV2")(
                key_dtype=dtypes.string, value_dtype=dtypes.float32, name=name
            )
        self.saveable = CheckpointedOp.CustomSaveable(self, name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self.saveable)

    def insert(self, keys: Any, values: Any) -> Any:
        """An operation that puts values at keys."""
        return op("LookupTableInsertV2")(table_handle=self.table_ref, keys=keys, values=values)

    def lookup(self, keys: Any, default: Any) -> Any:
        """The values at keys."""
        return op("LookupTableFindV2")(
            table_handle=self.table_ref, keys=keys, default_value=default
        )

    def keys(self) -> Any:
        """All keys."""
        return self._export()[0]

    def values(self) -> Any:
        """All values."""
        return self._export()[1]

    def _export(self) -> Any:
        return op("LookupTableExportV2")(
            table_handle=self.table_ref, Tkeys=dtypes.string, Tvalues=dtypes.float32
        )

    class CustomSaveable(SaveableObject):
        """How a checkpoint holds the table."""

        def __init__(self, table: CheckpointedOp, name: str) -> None:
            """Takes the table, and the name that it has in checkpoints."""
            parts = zip(table._export(), ("keys", "values"), strict=True)
            specs = [SaveSpec(tensor, "", f"{name}-{part}") for tensor, part in parts]
            super().__init__(table, specs, name)

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            """An operation that gives the table what was saved."""
            return op("LookupTableImportV2")(
                table_handle=self.op.table_ref,
                keys=restored_tensors[0],
                values=restored_tensors[1],
            )
