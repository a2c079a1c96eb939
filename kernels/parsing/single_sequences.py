"""One serialized `tf.train.SequenceExample`, as programs of TensorFlow 1 read it.

Their op of its own reads a whole message and then looks features up, so what is refused, and how,
is not the same as for batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.parsing.features import DenseFeature, Feature, Features
from dataflow.kernels.parsing.lists import WORDS
from dataflow.proto.example_pb2 import SequenceExample


def parse_single_sequence(
    data: bytes, name: str, context: Features, lists: Features
) -> list[list[Any]]:
    """The features of a sequence example, one entry for each of the op's output lists.

    Args:
      data: The message.
      name: What errors call it.
      context: The features that it has once.
      lists: The features that it has for every step.

    Raises:
      InvalidArgumentError: It is no message, lacks a feature or has one of another type or size.
    """
    example = SequenceExample()
    try:
        example.ParseFromString(data)
    except DecodeError:
        shown = data[:1000].decode(errors="backslashreplace")
        raise invalid(f"Could not parse example input, value: '{shown}'") from None
    features, steps = example.context.feature, example.feature_lists.feature_list
    sparse = [_context_sparse(features, feature, name) for feature in context.sparse]
    dense = [_context_dense(features, feature, name) for feature in context.dense]
    rows = [_list_sparse(steps, feature, name) for feature in lists.sparse]
    return [
        *([each[place] for each in sparse] for place in range(3)),
        dense,
        *([each[place] for each in rows] for place in range(3)),
        [_list_dense(steps, feature, name) for feature in lists.dense],
    ]


def _context_dense(features: Any, wished: DenseFeature, name: str) -> Any:
    key = _shown(wished)
    if key not in features:
        if not wished.default.size:
            raise invalid(
                f"Name: {name}, Context feature '{key}' is required but could not be found."
            )
        return wished.default
    flat = _values(features[key], wished, f"Name: {name}, Context feature: {key}.")
    return _checked(flat, wished, name, 0).reshape(wished.shape)


def _context_sparse(features: Any, wished: Feature, name: str) -> tuple[Any, Any, Any]:
    key = _shown(wished)
    flat = np.empty(0, wished.dtype.as_numpy_dtype)
    if key in features and features[key].WhichOneof("kind") is not None:
        flat = _values(features[key], wished, f"Name: {name}, Context feature: {key}.")
    return np.arange(flat.size).reshape(-1, 1), flat, np.array([flat.size], np.int64)


def _list_dense(lists: Any, wished: DenseFeature, name: str) -> Any:
    key = _shown(wished)
    if key not in lists:
        if wished.absent is None:
            raise invalid(
                f"Name: {name}, Feature list '{key}' is required but could not be found.  Did you "
                "mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults?"
            )
        return np.empty((0, *wished.shape), wished.dtype.as_numpy_dtype)
    rows = []
    for place, feature in enumerate(lists[key].feature):
        flat = _values(feature, wished, f"Name: {name}, Feature list: {key}, Index: {place}.")
        rows.append(_checked(flat, wished, name, place))
    made = np.empty((len(rows), wished.stride), wished.dtype.as_numpy_dtype)
    for place, row in enumerate(rows):
        made[place] = row
    return made.reshape(len(rows), *wished.shape)


def _list_sparse(lists: Any, wished: Feature, name: str) -> tuple[Any, Any, Any]:
    key = _shown(wished)
    rows = []
    for place, feature in enumerate(lists[key].feature if key in lists else ()):
        if feature.WhichOneof("kind") is None:
            rows.append(np.empty(0, wished.dtype.as_numpy_dtype))
            continue
        where = f"Name: {name}, Feature List: {key}, Index: {place}."
        rows.append(_values(feature, wished, where))
    counts = np.array([row.size for row in rows], np.int64)
    total = int(counts.sum())
    places = np.empty((total, 2), np.int64)
    places[:, 0] = np.repeat(np.arange(len(rows)), counts)
    places[:, 1] = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    flat = np.concatenate([np.empty(0, wished.dtype.as_numpy_dtype), *rows])
    return places, flat, np.array([len(rows), counts.max(initial=0)], np.int64)


def _values(feature: Any, wished: Feature | DenseFeature, where: str) -> Any:
    field = f"{WORDS[wished.dtype]}_list"
    if feature.WhichOneof("kind") != field:
        raise invalid(
            f"{where}  Data types don't match. Expected type: {type_name(wished.dtype)}  Feature "
            f"is: {str(feature)[:1000]}"
        )
    held = getattr(feature, field).value
    made = np.empty(len(held), wished.dtype.as_numpy_dtype)
    made[:] = held
    return made


def _checked(flat: Any, wished: DenseFeature, name: str, place: int) -> Any:
    if flat.size != wished.stride:
        raise invalid(
            f"Name: {name}, Key: {_shown(wished)}, Index: {place}.  Number of "
            f"{WORDS[wished.dtype]} values != expected.  values size: {flat.size} but output "
            f"shape: {wished.text}"
        )
    return flat


def _shown(feature: Feature | DenseFeature) -> str:
    return feature.key.decode(errors="backslashreplace")
