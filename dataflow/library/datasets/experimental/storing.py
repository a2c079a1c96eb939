"""The methods of datasets that write them to folders and read them again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Final

from google.protobuf.message import DecodeError

from dataflow.errors import NotFoundError
from dataflow.graph.apply_op import apply_op
from dataflow.library.concrete.structured_values import decoded, encoded
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.functions import element_function
from dataflow.library.datasets.nodes import AUTOTUNE, captures, dataset_node, text
from dataflow.library.datasets.specs import DatasetSpec
from dataflow.proto.struct_pb2 import StructuredValue
from dataflow.values import logging
from dataflow.values.system_errors import system_errors

_SPEC: Final = "dataset_spec.pb"
_SECONDS: Final = 5
"""Between looks for a dataset that is not there yet."""


class StoringMethods(DatasetBase):
    """Writes datasets to folders, and reads them again."""

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> Any:
        """An operation that writes all elements to a folder.

        Args:
          path: The folder; what describes elements is written to it at once.
          compression: "GZIP", or None.
          shard_func: Takes the components of an element; returns the number of its shard, a
            scalar int64. All are in one if it is None.
          checkpoint_args: Counts for nothing where graphs are built.
        """
        # A function that is never called stands in the place of none.
        function = element_function(shard_func or (lambda *_: ()), "save()", self.element_spec)
        folder = os.fspath(path)
        with system_errors():
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, _SPEC), "wb") as file:
                file.write(encoded(self.element_spec).SerializeToString())
        return apply_op(
            "SaveDataset",
            self._variant_tensor,
            text(folder, "path"),
            captures(function),
            compression=compression or "",
            shard_func=function.attr,
            use_shard_func=shard_func is not None,
        )

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """The elements that `save` has written to a folder.

        Args:
          path: The folder.
          element_spec: Describes the elements; as the folder says if None.
          compression: "GZIP", or None.
          reader_func: Takes a dataset of datasets, one for each shard; returns a dataset. By
            default shards are read in turns.
          wait: Whether to wait for a folder that is not there yet.

        Raises:
          NotFoundError: The folder does not say what elements are.
        """
        folder = os.fspath(path)
        while element_spec is None:
            try:
                element_spec = _described(folder)
            except NotFoundError:
                if not wait:
                    raise
                logging.info("Could not find a dataset at %s. Will wait and retry.", folder)
                time.sleep(_SECONDS)
        function = element_function(
            reader_func or _in_turns, "load()", DatasetSpec(DatasetSpec(element_spec))
        )
        variant = dataset_node(
            "LoadDataset",
            element_spec,
            text(folder, "path"),
            captures(function),
            compression=compression or "",
            reader_func=function.attr,
        )
        return DatasetBase._made(variant, element_spec)


def _in_turns(datasets: Any) -> Any:
    return datasets.interleave(
        lambda dataset: dataset, cycle_length=os.cpu_count(), num_parallel_calls=AUTOTUNE
    )


def _described(folder: str) -> Any:
    path = os.path.join(folder, _SPEC)
    if not os.path.exists(path):
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {path}.")
    with system_errors(), open(path, "rb") as file:
        data = file.read()
    try:
        return decoded(StructuredValue.FromString(data))
    except DecodeError:
        raise NotFoundError(
            None, None, f"tf.data snapshot element_spec file not found or invalid: {path}."
        ) from None
