"""The hook that saves beside a TPU's work; on other devices it saves as the plain one does."""

from __future__ import annotations

from dataflow.training.hooks.checkpoint_saver import CheckpointSaverHook


class AsyncCheckpointSaverHook(CheckpointSaverHook):
    """Saves checkpoints every so many seconds or steps; see `tf.train.CheckpointSaverHook`."""
