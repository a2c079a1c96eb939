"""Names that TensorFlow's modules have for one version of a function: `argmax_v2`, `CounterV1`."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

_VERSIONED: Final = re.compile(r"(\w+?)(?:_for_tf)?_?[vV]([12])(?:_with_dispatch)?")
_RENAMED: Final = {
    "extract_image_patches": "extract_patches",
    "random_poisson": "poisson",
    "resize_image_with_pad": "resize_with_pad",
    "resize_images": "resize",
    "shared_embedding_columns": "shared_embeddings",
    "verify_tensor_all_finite": "assert_all_finite",
}
"""Name of a function of version 1 -> the public one of version 2."""
_PREFIX: Final = re.compile("(sparse|string)s?_")


def versioned(name: str, sources: Sequence[str]) -> tuple[bool, Any]:
    """What a name with a version at its end stands for, and whether it does for something.

    Args:
      name: Such as "argmax_v2".
      sources: Modules that have it without the version, as TensorFlow 1 knows it.
    """
    if (found := _VERSIONED.fullmatch(name)) is None:
        return False, None
    base, version = found.groups()
    places: Iterator[tuple[str, str]] = ((source, base) for source in sources)
    if version == "2":
        places = _of_2(base, sources)
    for module, each in places:
        value = getattr(importlib.import_module(module), each, None)
        if callable(value):
            return True, value
    return False, None


def _of_2(base: str, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Where version 2 has it: first what differs from version 1, then what does not."""
    names = [_RENAMED.get(base, base), _PREFIX.sub("", base)]
    for source in sources:
        for module in _differing(source):
            yield from ((module, name) for name in names)
    if base not in _RENAMED:
        yield from ((source, base) for source in sources)
    yield from ((source, name) for source in sources for name in names if name != base)


def _differing(source: str) -> Iterator[str]:
    face = source.partition(".")[2] or "top"
    module = f"dataflow.porting.v2.{face}"
    if "." not in face and importlib.util.find_spec(module) is not None:
        yield module
