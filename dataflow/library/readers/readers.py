"""The readers of files, of each kind."""

from __future__ import annotations

from typing import Any

from dataflow.library.readers.reader_base import ReaderBase, make_reader
from dataflow.records.options import TFRecordOptions


class TextLineReader(ReaderBase):
    """Reads the lines of files, without their ends; keys are `file:line`."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        """Makes a reader.

        Args:
          skip_header_lines: Lines at the start of each file that are left out.
          name: Name of the reader's op.
        """
        skipped = {"skip_header_lines": skip_header_lines}
        super().__init__(make_reader("TextLineReaderV2", name, **skipped))


class WholeFileReader(ReaderBase):
    """Reads each file as one record, whose key is its name."""

    def __init__(self, name: str | None = None) -> None:
        """Makes a reader; `name` is that of its op."""
        super().__init__(make_reader("WholeFileReaderV2", name), supports_serialize=True)


class IdentityReader(ReaderBase):
    """Gives what it takes out of the queue, as key and as value."""

    def __init__(self, name: str | None = None) -> None:
        """Makes a reader; `name` is that of its op."""
        super().__init__(make_reader("IdentityReaderV2", name), supports_serialize=True)


class TFRecordReader(ReaderBase):
    """Reads the records of TFRecord files; keys are `file:offset`."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        """Makes a reader.

        Args:
          name: Name of the reader's op.
          options: `TFRecordOptions` that say how the files are compressed.
        """
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(make_reader("TFRecordReaderV2", name, compression_type=compression))


class FixedLengthRecordReader(ReaderBase):
    """Reads records of one length; keys are `file:number`."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        """Makes a reader.

        Args:
          record_bytes: Length of a record.
          header_bytes: Bytes at the start of each file that are left out.
          footer_bytes: Bytes at its end that are left out.
          hop_bytes: From the start of a record to that of the next; 0 for `record_bytes`.
          name: Name of the reader's op.
          encoding: "ZLIB" for files that are compressed.
        """
        sizes = {
            "record_bytes": record_bytes,
            "header_bytes": header_bytes,
            "footer_bytes": footer_bytes,
            "hop_bytes": hop_bytes,
        }
        super().__init__(make_reader("FixedLengthRecordReaderV2", name, encoding=encoding, **sizes))
