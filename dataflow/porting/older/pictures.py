"""tf.image before TensorFlow 1.0."""

import typing as _typing

import dataflow.library.images.resizing as _resizing


def resize_images(
    images: _typing.Any, size: _typing.Any, *args: _typing.Any, **kwargs: _typing.Any
) -> _typing.Any:
    """`tf.image.resize_images`; a height, and a width behind it, are as they were before 1.0."""
    if args and isinstance(size, int):
        size, args = [size, args[0]], args[1:]
    return _resizing.resize_images(images, size, *args, **kwargs)
