"""Checkpoints read by the names that tf.contrib.framework had for the arguments of tf.train's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.saving import init_from_checkpoint as _initializers
from dataflow.saving import reading as _reading


def load_checkpoint(filepattern: str) -> Any:
    """`tf.train.load_checkpoint`."""
    return _reading.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """`tf.train.load_variable`."""
    return _reading.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """`tf.train.list_variables`."""
    return _reading.list_variables(checkpoint_dir)


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Mapping[Any, Any]) -> None:
    """`tf.train.init_from_checkpoint`."""
    _initializers.init_from_checkpoint(checkpoint_dir, assignment_map)
