"""tensorflow.python.training: what its tests of savers and of warm starts work with."""

from __future__ import annotations

from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import add_to_collection
from dataflow.graph.tensor import Tensor
from dataflow.library.saveable_object import SaveableObject, SaveSpec
from dataflow.porting.spellings.raw import op
from dataflow.saving import remapping
from dataflow.saving.functional_saver import SingleDeviceSaver
from dataflow.saving.saveables import by_name, saveables
from dataflow.saving.saved_model.files import maybe_saved_model_directory, parse_saved_model
from dataflow.saving.vocabularies import VocabInfo, begin_with_vocabulary
from dataflow.values import dtypes
from dataflow.variables.base import BaseVariable
from dataflow.variables.partitioned import PartitionedVariable

_SingleDeviceSaver = SingleDeviceSaver
_load_and_remap_matrix = remapping.load_and_remap_matrix
_load_and_remap_matrix_initializer = remapping.load_and_remap_matrix_initializer
_parse_saved_model = parse_saved_model
contains_saved_model = maybe_saved_model_directory
_load_embedding_initializer = remapping.load_embedding_initializer


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


def _get_var_info(var: Any, prev_tensor_name: str | None = None) -> tuple[str, Any]:
    """The name of a variable in checkpoints, unless it has another, and the variable or its parts.

    Raises:
      TypeError: It is no variable, nor the parts of one.
    """
    parts = _parts(var)
    (name,) = by_name(parts)
    return prev_tensor_name or name, parts if isinstance(var, PartitionedVariable) else var


def _infer_var_name(var: Any) -> str:
    """The name of a variable in checkpoints, given it or its parts."""
    (name,) = by_name(_parts(var))
    return name


def _warm_start_var_with_vocab(
    var: Any,
    current_vocab_path: str,
    current_vocab_size: int,
    prev_ckpt: str,
    prev_vocab_path: str,
    previous_vocab_size: int = -1,
    current_oov_buckets: int = 0,
    prev_tensor_name: str | None = None,
    initializer: Any = None,
    axis: int = 0,
) -> None:
    """Has a variable, or the parts of one, begin with the values of its words in a checkpoint.

    Raises:
      TypeError: It is no variable, nor the parts of one.
      ValueError: The vocabularies do not fit it.
    """
    info = VocabInfo(
        current_vocab_path,
        current_vocab_size,
        current_oov_buckets,
        prev_vocab_path,
        previous_vocab_size,
        initializer,
        axis,
    )
    name, _ = _get_var_info(var, prev_tensor_name)
    begin_with_vocabulary(_parts(var), info, prev_ckpt, name)


def _parts(var: Any) -> list[Any]:
    parts = list(var) if isinstance(var, (list, PartitionedVariable)) else [var]
    if not all(isinstance(part, BaseVariable) for part in parts):
        raise TypeError(
            "var MUST be one of the following: a Variable, list of Variable or "
            f"PartitionedVariable, but is {type(var)}"
        )
    return parts


def op_list_to_dict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:
    """Variables by the names they have in checkpoints; parts of one variable as a list."""
    return by_name(op_list)


def validate_and_slice_inputs(names_to_saveables: Any) -> list[SaveableObject]:
    """What is to be saved of a dictionary or a list, sorted by name."""
    given = names_to_saveables
    return saveables(given if isinstance(given, dict) else by_name(given))
