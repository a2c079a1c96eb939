"""tf.io.TFRecordWriter: writes records to a file, compressed or not."""

from __future__ import annotations

import zlib
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dataflow.errors import FailedPreconditionError
from dataflow.records.framing import framed
from dataflow.records.options import TFRecordOptions, window_bits
from dataflow.values.system_errors import local_path, system_errors

if TYPE_CHECKING:
    from typing_extensions import Self


class TFRecordWriter:
    """Writes records to a file; a `with` statement closes it."""

    _file: Any = None

    def __init__(self, path: Any, options: Any = None) -> None:
        """Makes a file, in place of what is there.

        Args:
          path: The file.
          options: A `TFRecordOptions`, `TFRecordCompressionType` or its name.

        Raises:
          ValueError: There is no such compression, or zlib does not take the options.
          NotFoundError: There is no such folder.
        """
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._deflate = _compressor(options)
        self._flush_mode = options.flush_mode
        with system_errors():
            self._file = open(local_path(path), "wb")  # noqa: SIM115

    def write(self, record: Any) -> None:
        """Appends a record, bytes or text.

        Raises:
          FailedPreconditionError: The writer is closed.
        """
        if not isinstance(record, (bytes, bytearray, memoryview, str)):
            raise TypeError(f"A record must be bytes or str, not {type(record).__name__}.")
        file = self._opened()
        data = framed(record.encode() if isinstance(record, str) else bytes(record))
        if self._deflate is not None:
            data = self._deflate.compress(data)
            if self._flush_mode:
                data += self._deflate.flush(self._flush_mode)
        file.write(data)

    def flush(self) -> None:
        """Hands what was written to the system.

        Raises:
          FailedPreconditionError: The writer is closed.
        """
        file = self._opened()
        if self._deflate is not None:
            file.write(self._deflate.flush(zlib.Z_PARTIAL_FLUSH))
        file.flush()

    def close(self) -> None:
        """Completes the file; has no effect on a writer that is closed."""
        file, self._file = self._file, None
        if file is None:
            return
        with file:
            if self._deflate is not None:
                file.write(self._deflate.flush())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _opened(self) -> Any:
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file


def _compressor(options: TFRecordOptions) -> Any:
    """An object of zlib's, or None for no compression."""
    compression = TFRecordOptions.get_compression_type_string(options)
    if not compression:
        return None

    def chosen(value: int | None, default: int) -> int:
        return default if value is None else value

    return zlib.compressobj(
        chosen(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
        chosen(options.compression_method, zlib.DEFLATED),
        chosen(options.window_bits, window_bits(compression)),
        chosen(options.mem_level, zlib.DEF_MEM_LEVEL),
        chosen(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
    )
