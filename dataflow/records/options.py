"""tf.io.TFRecordOptions: how a record file is compressed."""

from __future__ import annotations

from typing import Any, ClassVar, Final

_WINDOW_BITS: Final = 15
_GZIP: Final = 16
"""Added to the window's bits, it makes zlib write and expect gzip's header."""


class TFRecordCompressionType:
    """How a record file is compressed."""

    NONE: Final = 0
    ZLIB: Final = 1
    GZIP: Final = 2


class TFRecordOptions:
    """How a record file is compressed, and zlib's parameters for one that is written."""

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        """Holds what it is given; None stands for zlib's default.

        Args:
          compression_type: "GZIP", "ZLIB" or "" for none, or a `TFRecordCompressionType`.
          flush_mode: zlib's mode for what is written, and not flushed: Z_NO_FLUSH by default.
          input_buffer_size: Has no effect.
          output_buffer_size: Has no effect.
          window_bits: Base-two logarithm of the window, 9 to 15; 25 to 31 for gzip.
          compression_level: 0 to 9.
          compression_method: Z_DEFLATED is the only one.
          mem_level: 1 to 9.
          compression_strategy: Z_DEFAULT_STRATEGY by default.

        Raises:
          ValueError: There is no such type.
        """
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a type: of options, of a `TFRecordCompressionType` or of a name.

        Raises:
          ValueError: There is no such type.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')


def window_bits(compression: str) -> int:
    """zlib's parameter for a kind of compression: the largest window, and which header."""
    return _WINDOW_BITS + (_GZIP if compression == "GZIP" else 0)
