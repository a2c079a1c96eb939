"""Files of records to try readers with: each record is an Example with a random image."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataflow.ops.image.files import encode_jpeg, encode_png
from dataflow.proto.example_pb2 import Example
from dataflow.records.writing import TFRecordWriter


def generate_image(
    image_shape: Sequence[int], image_format: str = "jpeg", label: int = 0
) -> tuple[NDArray[np.int64], bytes]:
    """A random image, and a serialized Example that holds it encoded; needs a default session.

    Args:
      image_shape: Height, width and channels.
      image_format: "jpeg" or "png".
      label: The class of the image.
    """
    encoders: dict[str, Any] = {"jpeg": encode_jpeg, "png": encode_png}
    encode = encoders[image_format]
    image = np.random.randint(0, 256, size=image_shape)
    example = Example()
    feature = example.features.feature
    feature["image/encoded"].bytes_list.value.append(encode(image.astype(np.uint8)).eval())
    feature["image/format"].bytes_list.value.append(image_format.encode())
    feature["image/class/label"].int64_list.value.append(label)
    return image, example.SerializeToString()


def create_tfrecord_files(
    output_dir: str, num_files: int = 3, num_records_per_file: int = 10
) -> list[str]:
    """Writes files of records with images of 10 by 10 pixels; needs a default session.

    Returns:
      The paths of the files.
    """
    paths = [
        os.path.join(output_dir, f"flowers.tfrecord-{at}-of-{num_files}") for at in range(num_files)
    ]
    for path in paths:
        with TFRecordWriter(path) as writer:
            for _ in range(num_records_per_file):
                writer.write(generate_image((10, 10, 3))[1])
    return paths
