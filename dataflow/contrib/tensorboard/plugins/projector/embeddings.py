"""The file that tells TensorBoard's projector of embeddings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from google.protobuf import text_format

from dataflow.proto.projector_config_pb2 import ProjectorConfig
from dataflow.values.system_errors import system_errors

_FILE: Final = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes a file into a writer's folder that says which embeddings TensorBoard shows.

    Args:
      summary_writer: A `tf.summary.FileWriter`, or what has a `get_logdir` as that has.
      config: Says where the checkpoint is, which tensors of it are shown, and with which labels.

    Raises:
      ValueError: The writer has no folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    with system_errors():
        Path(os.fsdecode(logdir), _FILE).write_text(text_format.MessageToString(config))
