"""What sessions and their runs are given besides fetches and feeds: targets and option messages."""

from __future__ import annotations

from typing import Any

from dataflow.proto.config_pb2 import ConfigProto, RunMetadata, RunOptions


def target_bytes(target: Any) -> bytes | None:
    """The target of a session as bytes.

    Raises:
      TypeError: It is no string.
    """
    if target is None or isinstance(target, bytes):
        return target
    if isinstance(target, str):
        return target.encode()
    hint = ""
    if isinstance(target, ConfigProto):
        hint = '. Did you do "Session(config)" instead of "Session(config=config)"?'
    raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"{hint}')


def check_options(options: Any, run_metadata: Any) -> None:
    """Checks the option messages of a run and empties the one to be filled in."""
    if options is not None and not isinstance(options, RunOptions):
        raise TypeError(
            f'Argument `options` must be a tf.RunOptions, but got "{type(options).__name__}"'
        )
    if run_metadata is not None:
        if not isinstance(run_metadata, RunMetadata):
            raise TypeError(
                "Argument `run_metadata` must be a tf.RunMetadata, but got "
                f'"{type(run_metadata).__name__}"'
            )
        run_metadata.Clear()
