"""tf.train.CheckpointOptions: how checkpoints of objects are written."""

from __future__ import annotations

from typing import Any


class CheckpointOptions:
    """Options, most of them taken for compatibility: who holds values writes them."""

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        """Sets options.

        Args:
          experimental_io_device: Is not used.
          experimental_enable_async_checkpoint: Is not used: saving ends when files are written.
          experimental_write_callbacks: Functions that are called after files were written, with
            the path of the checkpoint or with nothing.
          enable_async: Is not used, as above.
          experimental_skip_slot_variables: Is not used.
          experimental_sharding_callback: Is not used.
        """
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
