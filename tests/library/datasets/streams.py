"""What an iterator gives, element by element, in either library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle import oracle, unoptimized

MOST = 40
"""Elements that are taken of a pipeline."""

Pipeline = Callable[[Any], Any]
"""Makes a dataset with the library that it is given."""


def stream(tf: Any, build: Pipeline, target: str = "", one_shot: bool = False) -> list[Any]:
    """The elements, with errors in their places, and at last how the stream ended."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(17)
        dataset = build(tf)
        make = tf.data.make_one_shot_iterator if one_shot else tf.data.make_initializable_iterator
        iterator = make(dataset)
        following = iterator.get_next()
        found: list[Any] = [static(tf, dataset)]
        with open_session(tf, graph, target) as session:
            try:
                if not one_shot:
                    session.run(iterator.initializer)
                for _ in range(MOST):
                    try:
                        found.append(plain(session.run(following)))
                    except tf.errors.OutOfRangeError as error:
                        found.append(["the end", first_line(error)])
                        break
                    except tf.errors.OpError as error:
                        found.append(type(error).__name__)
            except tf.errors.OpError as error:
                found.append([type(error).__name__, first_line(error)])
    return found


def open_session(tf: Any, graph: Any, target: str) -> Any:
    """A session of either library."""
    config = unoptimized() if tf is oracle else None
    return tf.Session(target, graph=graph, config=config)


def first_line(error: Any) -> str:
    """What an error says, without where."""
    lines = error.message.splitlines() or [""]
    at = next((i for i, line in enumerate(lines) if line.startswith("\t [[")), len(lines))
    return str(lines[max(at - 1, 0)])


def static(tf: Any, dataset: Any) -> list[str]:
    """What building knows of the elements."""
    views = (tf.data.get_output_types, tf.data.get_output_shapes, tf.data.get_output_classes)
    return [_spelled(view(dataset)) for view in views]


def _spelled(structure: Any) -> str:
    if isinstance(structure, dict):
        inner = ", ".join(f"{key}: {_spelled(structure[key])}" for key in sorted(structure))
        return "{" + inner + "}"
    if type(structure).__name__ == "TensorShape":
        return "?" if structure.rank is None else str(structure.as_list())
    if isinstance(structure, tuple):
        return "(" + ", ".join(map(_spelled, structure)) + ")"
    if hasattr(structure, "element_spec"):
        return f"{type(structure).__name__}"
    return getattr(structure, "__name__", None) or getattr(structure, "name", str(structure))


def plain(value: Any) -> Any:
    """An element in a form that compares: lists of Python values, with types and shapes."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(inner) for inner in value)
    array = np.asarray(value)
    kind = "string" if array.dtype.kind in "OS" else array.dtype.name
    return kind, array.shape, array.tolist()
