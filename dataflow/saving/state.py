"""The file `checkpoint` of a folder, which lists its checkpoints, and what is asked of it."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from google.protobuf import text_format

from dataflow.checkpoints.places import index_path, remove, write_whole
from dataflow.proto.checkpoint_state_pb2 import CheckpointState
from dataflow.proto.saver_pb2 import SaverDef
from dataflow.values import logging
from dataflow.values.system_errors import local_path

_Path = Any


def _state_path(folder: _Path, latest_filename: str | None) -> str:
    return os.path.join(local_path(folder), latest_filename or "checkpoint")


def generate_checkpoint_state_proto(
    save_dir: _Path,
    model_checkpoint_path: _Path,
    all_model_checkpoint_paths: Sequence[_Path] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """The message about a folder's checkpoints; relative paths are taken to be relative to it.

    Args:
      save_dir: The folder.
      model_checkpoint_path: The newest checkpoint.
      all_model_checkpoint_paths: All that are kept, the oldest first; a list gets the newest if it
        lacks it.
      all_model_checkpoint_timestamps: When each was made, in seconds since the epoch.
      last_preserved_timestamp: When the last one was made that is kept for good.

    Raises:
      ValueError: There are not as many times as checkpoints.
    """
    newest = local_path(model_checkpoint_path)
    paths = [local_path(path) for path in all_model_checkpoint_paths or []]
    if not paths or paths[-1] != newest:
        logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", newest)
        paths.append(newest)
        if isinstance(all_model_checkpoint_paths, list):
            all_model_checkpoint_paths.append(newest)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {all_model_checkpoint_timestamps})"
        )
    folder = local_path(save_dir)
    if not os.path.isabs(folder):
        paths = [path if os.path.isabs(path) else os.path.relpath(path, folder) for path in paths]
        newest = paths[-1]
    return CheckpointState(
        model_checkpoint_path=newest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: _Path,
    model_checkpoint_path: _Path,
    all_model_checkpoint_paths: Sequence[_Path] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file that lists a folder's checkpoints, whole or not at all.

    Args:
      save_dir: The folder.
      model_checkpoint_path: The newest checkpoint.
      all_model_checkpoint_paths: All that are kept, the oldest first.
      latest_filename: Name of the file; "checkpoint" if None.
      all_model_checkpoint_timestamps: When each was made, in seconds since the epoch.
      last_preserved_timestamp: When the last one was made that is kept for good.

    Raises:
      RuntimeError: The file has the name of the checkpoint.
    """
    write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
        relative=False,
    )


def write_state(
    save_dir: _Path,
    newest: _Path,
    paths: Sequence[_Path] | None,
    latest_filename: str | None,
    timestamps: Sequence[float] | None = None,
    last_preserved: float | None = None,
    *,
    relative: bool,
) -> None:
    """As `update_checkpoint_state`; `relative` writes paths relative to the folder."""
    path = _state_path(save_dir, latest_filename)
    paths = [local_path(p) for p in paths or []]
    if relative:
        newest = os.path.relpath(newest, save_dir)
        paths = [os.path.relpath(p, save_dir) for p in paths]
        # They are taken to be so already by what follows.
        save_dir = os.path.abspath(save_dir)
    state = generate_checkpoint_state_proto(save_dir, newest, paths, timestamps, last_preserved)
    if path == state.model_checkpoint_path:
        raise RuntimeError(f"Save path '{newest}' conflicts with path used for checkpoint state.")
    write_whole(path, text_format.MessageToString(state).encode())


def get_checkpoint_state(
    checkpoint_dir: _Path, latest_filename: str | None = None
) -> CheckpointState | None:
    """What a folder's file says of its checkpoints, with whole paths; None without such a file.

    Args:
      checkpoint_dir: The folder.
      latest_filename: Name of the file; "checkpoint" if None.
    """
    folder = local_path(checkpoint_dir)
    path = _state_path(folder, latest_filename)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        logging.warning("%s: %s: Checkpoint ignored", path, error)
        return None
    state = CheckpointState()
    try:
        text_format.Merge(text, state)
    except text_format.ParseError as error:
        logging.warning("%s: %s: Checkpoint ignored", path, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(
            f"Invalid checkpoint state loaded from {checkpoint_dir}: it names no checkpoint"
        )
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    for i, found in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[i] = os.path.join(folder, found)
    return state


def latest_checkpoint(checkpoint_dir: _Path, latest_filename: str | None = None) -> str | None:
    """The prefix of the newest checkpoint of a folder; None if there is none.

    Args:
      checkpoint_dir: The folder.
      latest_filename: Name of the file that lists the checkpoints; "checkpoint" if None.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return str(state.model_checkpoint_path)
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def checkpoint_exists(checkpoint_prefix: _Path) -> bool:
    """Whether there is a checkpoint, V2 or V1, of that prefix.

    Args:
      checkpoint_prefix: The prefix, which may be a pattern.
    """
    prefix = local_path(checkpoint_prefix)
    return bool(glob.glob(index_path(prefix)) or glob.glob(prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[_Path]) -> list[float]:
    """When checkpoints were written, in seconds since the epoch.

    Args:
      checkpoint_prefixes: Their prefixes; those that are not there are left out.
    """
    times = []
    for prefix in map(local_path, checkpoint_prefixes):
        found = glob.glob(index_path(prefix)) or glob.glob(prefix)
        if found:
            times.append(os.path.getmtime(found[0]))
    return times


def remove_checkpoint(
    checkpoint_prefix: _Path,
    checkpoint_format_version: int = SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Removes a checkpoint.

    Args:
      checkpoint_prefix: Its prefix.
      checkpoint_format_version: Its version.
      meta_graph_suffix: What the name of its graph's file ends with.
    """
    prefix = local_path(checkpoint_prefix)
    remove(meta_graph_path(prefix, meta_graph_suffix))
    if checkpoint_format_version == SaverDef.V2:
        # Without its index a checkpoint is none, so that never half of one is found.
        remove(index_path(prefix))
        paths = glob.glob(f"{glob.escape(prefix)}.data-?????-of-?????")
    else:
        paths = glob.glob(prefix)
    for path in paths:
        remove(path)


def meta_graph_path(prefix: str, suffix: str = "meta") -> str:
    """The file of the graph that belongs to a checkpoint."""
    head, separator, tail = prefix.rpartition("-?????-of-")
    return f"{head if separator and len(tail) == 5 else prefix}.{suffix}"


def checkpoints_iterator(
    checkpoint_dir: _Path,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """New checkpoints of a folder, as they appear.

    Args:
      checkpoint_dir: The folder.
      min_interval_secs: The least time between two that are given.
      timeout: How long to wait for a new one, in seconds; for ever if None.
      timeout_fn: Asked when none has come in time: whether to give up. Else it is given up.
    """
    last: str | None = None
    while True:
        found = _wait_for_new(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, last = time.monotonic(), found
        yield found
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))


def _wait_for_new(folder: _Path, last: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            found = latest_checkpoint(folder)
        except ValueError:
            found = None
        if found is not None and found != last:
            return found
        if end is not None and time.monotonic() + 1 > end:
            return None
        time.sleep(1)
