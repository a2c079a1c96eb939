"""The layers that nets are made of: ours, or a program's own that it hands to a net."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

from dataflow.keras import layers as ours

_LAYERS: Final[ContextVar[Any]] = ContextVar("layers of nets", default=ours)


class _LayersInUse:
    """Has what the layers of the net that is being made have."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_LAYERS.get(), name)


layers: Final = _LayersInUse()


def takes_layers(net: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function that makes a net take `layers`, whose classes it is then made of.

    A program changes what a net has so: an object that makes some layers itself and has the rest
    of `tf.keras.layers`. `backend`, `models` and `utils`, which came with it, are accepted.
    """

    @functools.wraps(net)
    def made(*args: Any, layers: Any = None, **kwargs: Any) -> Any:
        for other in ("backend", "models", "utils"):
            kwargs.pop(other, None)
        token = _LAYERS.set(ours if layers is None else layers)
        try:
            return net(*args, **kwargs)
        finally:
            _LAYERS.reset(token)

    return made
