"""slim's handler of images: decoded files, or the bytes of their pixels."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.slim.item_handlers import Features, ItemHandler
from dataflow.control_flow.case import case
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import name_scope
from dataflow.library.map_fn import map_fn
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.image.files import decode_jpeg
from dataflow.ops.math.compare import equal, logical_or
from dataflow.ops.parsing.raw import decode_raw
from dataflow.ops.text.characters import substr
from dataflow.values import dtypes

_JPEG = b"\xff\xd8\xff"


class Image(ItemHandler):
    """Decodes an image.

    Args:
      image_key: Key of the file, "image/encoded" if None.
      format_key: Key of its format, "image/format" if None; "raw" stands for bytes of pixels.
      shape: Shape of the image, if it is known.
      channels: How many channels it has.
      dtype: Element type of the result.
      repeated: Whether the feature holds several files.
      dct_method: See `tf.image.decode_jpeg`.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = dtypes.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The image, or the images."""
        contents = keys_to_tensors[self._image_key]
        kind = keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda each: self._decoded(each, kind), contents, dtype=self._dtype)
        return self._decoded(contents, kind)

    def _decoded(self, contents: Any, kind: Any) -> Any:
        def any_file() -> Any:
            with name_scope(None, "decode_image"):
                image = single("DecodeImage", contents, channels=self._channels)
            return cast(image, self._dtype)

        def jpeg_file() -> Any:
            image = decode_jpeg(contents, channels=self._channels, dct_method=self._dct_method)
            return cast(image, self._dtype)

        def file() -> Any:
            with name_scope(None, "is_jpeg"):
                is_jpeg = equal(substr(contents, 0, 3), _JPEG)
            return cond(is_jpeg, jpeg_file, any_file, name="cond_jpeg")

        is_raw = logical_or(equal(kind, "raw"), equal(kind, "RAW"))
        raw = (is_raw, lambda: decode_raw(contents, out_type=self._dtype))
        image = case([raw], default=file, exclusive=True)
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else reshape(image, self._shape)
