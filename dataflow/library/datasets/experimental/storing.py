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
from dataflow.library.datasets import structures
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.experimental.fingerprint import fingerprint
from dataflow.library.datasets.functions import element_function
from dataflow.library.datasets.nodes import AUTOTUNE, captures, dataset_node, text
from dataflow.library.datasets.specs import DatasetSpec
from dataflow.proto.struct_pb2 import StructuredValue
from dataflow.values import dtypes, logging
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

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """The elements, which are written to a folder once and read from there from then on.

        Args:
          path: The folder; it has one for each pipeline that it is given for.
          compression: "GZIP", "AUTO", or None.
          reader_func: Takes a dataset of datasets, one for each shard; returns a dataset. By
            default shards are read in turns.
          shard_func: Takes the components of an element; returns the number of its shard, a
            scalar int64. By default elements go to as many shards as there are processors in turns.
          name: Name of the node.

        Raises:
          TypeError: `shard_func` returns something else.
        """
        if shard_func is None:
            whole: Any = self
            numbered = whole.enumerate(name=name)
            count = os.cpu_count() or 1
            stored = numbered.snapshot(
                path, compression, reader_func, lambda index, _: index % count, name
            )
            return stored.map(lambda _, element: element, name=name)
        spec, label = self.element_spec, "Dataset.snapshot()"
        reader = element_function(
            reader_func or _in_turns, f"{label}.reader_func", DatasetSpec(DatasetSpec(spec))
        )
        shard = element_function(shard_func, f"{label}.shard_func", spec)
        if structures.flat_types(shard.spec) not in ([dtypes.int64], [dtypes.int32]):
            raise TypeError(
                "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its "
                f"return type is {shard.spec}."
            )
        variant = dataset_node(
            "SnapshotDatasetV2",
            spec,
            self._variant_tensor,
            text(path, "path"),
            captures(reader),
            captures(shard),
            compression=compression or "",
            hash_valid=True,
            hash=fingerprint(self._variant_tensor),
            reader_func=reader.attr,
            shard_func=shard.attr,
            name=name,
        )
        return DatasetBase._made(variant, spec)

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
