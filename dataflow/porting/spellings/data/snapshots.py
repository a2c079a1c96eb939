"""data.experimental.ops.snapshot: the elements of a folder, which are written to it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def snapshot(
    path: Any,
    compression: str | None = None,
    reader_path_prefix: str | None = None,
    writer_path_prefix: str | None = None,
    shard_size_bytes: int | None = None,
    pending_snapshot_expiry_seconds: int | None = None,
    num_reader_threads: int | None = None,
    reader_buffer_size: int | None = None,
    num_writer_threads: int | None = None,
    writer_buffer_size: int | None = None,
) -> Callable[[Any], Any]:
    """A transformation for `Dataset.apply`.

    Args:
      path: The folder.
      compression: "GZIP", or None.
      reader_path_prefix: What comes before the path where it is read; it has no meaning here.
      writer_path_prefix: The same where it is written.
      shard_size_bytes: How large files get; like what follows it has no meaning here.
      pending_snapshot_expiry_seconds: When an unfinished snapshot is given up.
      num_reader_threads: How many threads read.
      reader_buffer_size: How many elements they are ahead.
      num_writer_threads: How many threads write.
      writer_buffer_size: How many elements may wait for them.
    """
    return lambda dataset: dataset.snapshot(path, compression=compression)
