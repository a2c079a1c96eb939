"""What fills a table: tensors, or the lines of a file."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


class TextFileIndex:
    """What of a line is a key or value, beside the number of a column."""

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class TableInitializerBase:
    """What fills a table with keys and values of two types."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        """Tells the types of keys and values."""
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Type of the values."""
        return self._value_dtype

    @property
    def _shared_name(self) -> str:
        """The name that tables with these entries share; "" for one of each table's own."""
        return ""

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        raise NotImplementedError

    def _check(self, table: Any) -> None:
        if (table.key_dtype, table.value_dtype) != (self.key_dtype, self.value_dtype):
            raise TypeError(
                f"Invalid table types, expected key {self.key_dtype!r} and value "
                f"{self.value_dtype!r}, got {table.key_dtype!r} and {table.value_dtype!r}."
            )


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with a tensor of keys and one of values."""

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        """Keeps keys and values.

        Args:
          keys: The keys.
          values: Their values, in the same shape.
          key_dtype: Type of the keys, if Python values are given.
          value_dtype: Type of the values.
          name: Name of the operations.
        """
        with name_scope(name, "key_value_init") as scope:
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
            self._name = scope
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        self._check(table)
        with name_scope(self._name):
            made: Operation = apply_op(
                "LookupTableImportV2", table.resource_handle, self._keys, self._values
            )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


class TextFileInitializer(TableInitializerBase):
    """Fills a table with parts of the lines of a file."""

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        """Tells where keys and values are.

        Args:
          filename: The file.
          key_dtype: Type of the keys.
          key_index: Their column, or one of `TextFileIndex`.
          value_dtype: Type of the values.
          value_index: Their column, or one of `TextFileIndex`.
          vocab_size: How many lines to read; all if None.
          delimiter: What stands between columns.
          name: Name of the operation.
          value_index_offset: What to add to the numbers of lines as values.

        Raises:
          ValueError: An index does not go with its type, or the name is empty.
        """
        super().__init__(key_dtype, value_dtype)
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        for what, index, dtype in (
            ("Key", key_index, self.key_dtype),
            ("Value", value_index, self.value_dtype),
        ):
            if index < TextFileIndex.WHOLE_LINE:
                raise ValueError(f"Invalid {what.lower()} index {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
                wanted = f"dtype {dtypes.int64}"
                raise ValueError(f"Signature mismatch. {what}s must be {wanted}, got {dtype}.")
            if index == TextFileIndex.WHOLE_LINE and not _is_of_words(dtype):
                raise ValueError(
                    f"Signature mismatch. {what}s must be integer or string, got {dtype}."
                )
        self._filename = filename
        self._columns = key_index, value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._offset = value_index_offset
        self._name = name

    @property
    def _shared_name(self) -> str:
        if isinstance(self._filename, Tensor):
            return ""
        size = () if self._vocab_size is None else (self._vocab_size,)
        offset = (self._offset,) if self._offset else ()
        parts = ("hash_table", self._filename, *size, *self._columns, *offset)
        return "_".join(map(str, parts))

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        self._check(table)
        with name_scope(self._name, "text_file_init"):
            path = convert_to_tensor(self._filename, dtype=dtypes.string, name="asset_filepath")
            made: Operation = apply_op(
                "InitializeTableFromTextFileV2",
                table.resource_handle,
                path,
                key_index=self._columns[0],
                value_index=self._columns[1],
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        # A file of a constant name can be exported with the graph.
        if path.op.type == "Const":
            add_to_collection(GraphKeys.ASSET_FILEPATHS, path)
        return made


def _is_of_words(dtype: DType) -> bool:
    return dtype.is_integer or dtype == dtypes.string


class TextFileStringTableInitializer(TextFileInitializer):
    """From numbers of lines to lines."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        """Tells where values are, as `TextFileInitializer` does."""
        super().__init__(
            filename,
            dtypes.int64,
            key_column_index,
            dtypes.string,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """From lines to their numbers."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: Any = dtypes.string,
    ) -> None:
        """Tells where keys are, as `TextFileInitializer` does."""
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            dtypes.int64,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )
