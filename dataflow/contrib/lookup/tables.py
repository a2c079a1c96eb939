"""The former class of static tables."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.library.lookup.initializers import TableInitializerBase
from dataflow.library.lookup.tables import StaticHashTable


class HashTable(StaticHashTable):
    """A table that an initializer fills once; a table of a shared name is one for all."""

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "hash_table",
    ) -> None:
        """Makes a table.

        Args:
          initializer: What fills it.
          default_value: The value of keys that it does not have.
          shared_name: The name that tables with the same entries share.
          name: Name of the operation.
        """
        self._given_name = shared_name
        super().__init__(initializer, default_value, name)

    @property
    def init(self) -> Operation:
        """The operation that fills the table."""
        return self.initializer

    def _name_to_share(self, initializer: TableInitializerBase) -> str:
        return self._given_name or super()._name_to_share(initializer)
