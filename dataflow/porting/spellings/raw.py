"""Ops by their types, as tf.raw_ops has them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from dataflow.porting.paths import PUBLIC


def op(op_type: str) -> Callable[..., Any]:
    """The function of an op's inputs and attrs, by their names."""
    function: Callable[..., Any] = getattr(importlib.import_module(f"{PUBLIC}.raw_ops"), op_type)
    return function
