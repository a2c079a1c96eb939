"""The file that TensorBoard's projector looks for."""

from __future__ import annotations

import os
from typing import Any, Final

from google.protobuf import text_format

from dataflow.library.files.gfile import GFile
from dataflow.proto.projector_config_pb2 import ProjectorConfig

_FILE: Final = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes what the projector is to show where a summary writer writes.

    Args:
      summary_writer: A `tf.summary.FileWriter`.
      config: Names tensors of a checkpoint, and files with what belongs to their rows. Where it
        names no checkpoint, TensorBoard takes the last one of the writer's folder.

    Raises:
      ValueError: The writer has no folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    with GFile(os.path.join(logdir, _FILE), "w") as file:
        file.write(text_format.MessageToString(config))
