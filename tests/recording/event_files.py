"""The events of a folder's files, as TensorFlow reads them."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as oracle
from PIL import Image

oracle.disable_v2_behavior()


def events(folder: Path) -> list[Any]:
    """The events of all files, in the order in which the files were made.

    Names tell the second and then a process's count of its files: 10 comes behind 9.
    """

    def age(path: Path) -> list[int]:
        return [int(digits) for digits in re.findall(r"\d+", path.name)]

    return [
        event
        for path in sorted(folder.glob("events*"), key=age)
        for event in oracle.train.summary_iterator(str(path))
    ]


def plain(folder: Path) -> list[str]:
    """The events as text, without what tells when and by whom they were written.

    Images stand there as their pixels.
    """
    found = []
    for event in events(folder):
        assert event.wall_time > 1e9
        event.ClearField("wall_time")
        event.ClearField("source_metadata")
        event.ClearField("meta_graph_def")
        for value in event.summary.value:
            if value.HasField("image"):
                with Image.open(BytesIO(value.image.encoded_image_string)) as image:
                    value.image.encoded_image_string = image.tobytes()
        found.append(str(event))
    return found
