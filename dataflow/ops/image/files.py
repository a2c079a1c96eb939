"""Files of images: JPEG, PNG, GIF and BMP, read and written."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import Size, subshape, with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, with_rank, with_rank_at_least
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_JPEG = (
    "channels: int = 0",
    "ratio: int = 1",
    "fancy_upscaling: bool = true",
    "try_recover_truncated: bool = false",
    "acceptable_fraction: float = 1.0",
    "dct_method: string = ''",
)


def _channels(c: InferenceContext) -> Size:
    with_rank(c.input(0), 0)
    channels: int = c.attr("channels")
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return channels or None


def _image_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((None, None, _channels(c)))


def _any_image_shape(c: InferenceContext) -> TensorShape:
    channels = _channels(c)
    return UNKNOWN if c.attr("expand_animations") else TensorShape.of((None, None, channels))


def _crop_shape(c: InferenceContext) -> TensorShape:
    channels = _channels(c)
    dims = with_rank(c.input(1), 1).dims_tuple or (None,)
    with_size(dims[0], 4)
    window = c.constant(1)
    if window is None:
        return TensorShape.of((None, None, channels))
    for size in (int(each) for each in window[2:]):
        if size < 0:
            raise ValueError(f"Dimension {size} must be >= 0")
    return TensorShape.of((int(window[2]), int(window[3]), channels))


def _frames_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 0)
    return TensorShape.of((None, None, None, 3))


def _webp_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 0)
    channels = c.attr("channels")
    if channels not in (0, 3, 4):
        raise ValueError(f"channels must be 0, 3, or 4, got {channels}")
    return TensorShape.of((None, None, None, channels or None))


def _size_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 0)
    return TensorShape.of((3,))


def _jpeg_file_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 3)
    return SCALAR


def _png_files_shape(c: InferenceContext) -> TensorShape:
    return subshape(with_rank_at_least(c.input(0), 3), 0, -3) if c.input(0).rank else UNKNOWN


def _reader(name: str, attrs: Any, dtype: str, shape: Any, doc: str, inputs: str = "") -> None:
    define_op(
        name,
        inputs=f"contents: string{inputs}",
        outputs=f"image: {dtype}",
        attrs=attrs,
        shape=shape,
        gradient=MISSING_GRADIENT,
        doc=doc,
    )


_reader("DecodeJpeg", _JPEG, "uint8", _image_shape, "The image in a JPEG file.")
_reader(
    "DecodeAndCropJpeg",
    _JPEG,
    "uint8",
    _crop_shape,
    "A part of the image in a JPEG file.",
    ", crop_window: int32",
)
_reader(
    "DecodePng",
    ("channels: int = 0", "dtype: {uint8, uint16} = uint8"),
    "dtype",
    _image_shape,
    "The image in a PNG file.",
)
_reader("DecodeBmp", ("channels: int = 0",), "uint8", _image_shape, "The image in a BMP file.")
_reader(
    "DecodeWebP",
    ("channels: int = 0", "dtype: {uint8} = uint8"),
    "dtype",
    _webp_shape,
    "The frames in a WebP file.",
)
_reader("DecodeGif", (), "uint8", _frames_shape, "The frames in a GIF file.")
_reader(
    "DecodeImage",
    (
        "channels: int = 0",
        "dtype: {uint8, uint16, float32} = uint8",
        "expand_animations: bool = true",
    ),
    "dtype",
    _any_image_shape,
    "The image in a file of any kind.",
)
define_op(
    "ExtractJpegShape",
    inputs="contents: string",
    outputs="image_shape: output_type",
    attrs=["output_type: {int32, int64} = int32"],
    shape=_size_shape,
    gradient=MISSING_GRADIENT,
    doc="Height, width and channels of the image in a JPEG file.",
)
define_op(
    "EncodeJpeg",
    inputs="image: uint8",
    outputs="contents: string",
    attrs=[
        "format: {'', 'grayscale', 'rgb'} = ''",
        "quality: int = 95",
        "progressive: bool = false",
        "optimize_size: bool = false",
        "chroma_downsampling: bool = true",
        "density_unit: {'in', 'cm'} = 'in'",
        "x_density: int = 300",
        "y_density: int = 300",
        "xmp_metadata: string = ''",
    ],
    shape=_jpeg_file_shape,
    gradient=MISSING_GRADIENT,
    doc="An image as a JPEG file.",
)
define_op(
    "EncodeJpegVariableQuality",
    inputs="images: uint8, quality: int32",
    outputs="contents: string",
    shape=_jpeg_file_shape,
    gradient=MISSING_GRADIENT,
    doc="An image as a JPEG file of a quality that an input says.",
)
define_op(
    "EncodePng",
    inputs="image: T",
    outputs="contents: string",
    attrs=["compression: int = -1", "T: {uint8, uint16} = uint8"],
    shape=_png_files_shape,
    gradient=MISSING_GRADIENT,
    doc="Images as PNG files.",
)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The image in a JPEG file; those in PNG and GIF files are read, too.

    Args:
      contents: The file, a scalar string.
      channels: 1 for grey, 3 for RGB, 0 for those of the file.
      ratio: 1, 2, 4 or 8: the image is made so much smaller.
      fancy_upscaling: Smaller planes of colors are enlarged smoothly.
      try_recover_truncated: What a file that was cut off lacks becomes grey.
      acceptable_fraction: How much of the rows a file that was cut off must have. One that lacks
        some is refused whatever it says, unless `try_recover_truncated`.
      dct_method: "INTEGER_FAST" or "INTEGER_ACCURATE"; "" means the fast one, as in TensorFlow.
      name: Name of the operation.

    Returns:
      uint8 `[height, width, channels]`.
    """
    return single(
        "DecodeJpeg",
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of the image in a JPEG file.

    Args:
      contents: The file, a scalar string.
      crop_window: First row, first column, height and width of the part, int32.
      channels: See `decode_jpeg`.
      ratio: See `decode_jpeg`.
      fancy_upscaling: See `decode_jpeg`.
      try_recover_truncated: See `decode_jpeg`.
      acceptable_fraction: See `decode_jpeg`.
      dct_method: See `decode_jpeg`.
      name: Name of the operation.

    Returns:
      uint8 `[height, width, channels]`.
    """
    return single(
        "DecodeAndCropJpeg",
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The image in a PNG file; those in JPEG and GIF files are read, too.

    Args:
      contents: The file, a scalar string.
      channels: 1 for grey, 3 for RGB, 4 for RGBA, 0 for those of the file.
      dtype: uint8 or uint16.
      name: Name of the operation.

    Returns:
      `[height, width, channels]`.
    """
    return single("DecodePng", contents, channels=channels, dtype=dtype, name=name)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames in a GIF file; images in JPEG and PNG files are one frame.

    Args:
      contents: The file, a scalar string.
      name: Name of the operation.

    Returns:
      uint8 `[frames, height, width, 3]`.
    """
    return single("DecodeGif", contents, name=name)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The image in a BMP file.

    Args:
      contents: The file, a scalar string.
      channels: 3 for RGB, 4 for RGBA, 0 for those of the file.
      name: Name of the operation.

    Returns:
      uint8 `[height, width, channels]`.
    """
    return single("DecodeBmp", contents, channels=channels, name=name)


def decode_webp(
    contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The frames in a WebP file.

    Args:
      contents: The file, a scalar string.
      channels: 3 or 4, which the file must have; 0 for those that it has.
      dtype: uint8.
      name: Name of the operation.

    Returns:
      uint8 `[frames, height, width, channels]`.
    """
    return single("DecodeWebP", contents, channels=channels, dtype=dtype, name=name)


def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of the image in a JPEG file, which is not decoded.

    Args:
      contents: The file, a scalar string.
      output_type: int32 or int64.
      name: Name of the operation.
    """
    return single("ExtractJpegShape", contents, output_type=output_type, name=name)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image as a JPEG file.

    Args:
      image: uint8 `[height, width, channels]`.
      format: "grayscale" or "rgb"; "" follows the number of channels.
      quality: From 0 to 100.
      progressive: The file can be shown before it is whole.
      optimize_size: More work, and a smaller file.
      chroma_downsampling: Planes of colors have half the size.
      density_unit: "in" or "cm".
      x_density: Pixels by unit.
      y_density: Pixels by unit.
      xmp_metadata: Written into the file unless it is empty.
      name: Name of the operation.

    Returns:
      A scalar string.
    """
    return single(
        "EncodeJpeg",
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Images as PNG files.

    Args:
      image: uint8 or uint16 `[..., height, width, channels]`, with 1 to 4 channels.
      compression: From 0 to 9, or -1 for zlib's choice.
      name: Name of the operation.

    Returns:
      A string for each image.
    """
    return single("EncodePng", convert_to_tensor(image), compression=compression, name=name)
