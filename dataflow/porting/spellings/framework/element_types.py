"""tensorflow.python.framework.dtypes: the types of references, which have no public names."""

from __future__ import annotations

from typing import Any

from dataflow.values.dtypes import as_dtype


def __getattr__(name: str) -> Any:
    if name.endswith("_ref"):
        try:
            return as_dtype(name)
        except TypeError:
            pass
    raise AttributeError(name)
