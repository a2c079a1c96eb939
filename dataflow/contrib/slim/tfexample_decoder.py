"""slim's decoders of examples, and the handlers that make their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.contrib.slim.data_decoder import DataDecoder
from dataflow.contrib.slim.image_handler import Image as Image
from dataflow.contrib.slim.item_handlers import BackupHandler as BackupHandler
from dataflow.contrib.slim.item_handlers import BoundingBox as BoundingBox
from dataflow.contrib.slim.item_handlers import ItemHandler as ItemHandler
from dataflow.contrib.slim.item_handlers import ItemHandlerCallback as ItemHandlerCallback
from dataflow.contrib.slim.item_handlers import LookupTensor as LookupTensor
from dataflow.contrib.slim.item_handlers import SparseTensor as SparseTensor
from dataflow.contrib.slim.item_handlers import Tensor as Tensor
from dataflow.contrib.slim.sequence_handlers import BoundingBoxSequence as BoundingBoxSequence
from dataflow.contrib.slim.sequence_handlers import KeypointsSequence as KeypointsSequence
from dataflow.contrib.slim.sequence_handlers import NumBoxesSequence as NumBoxesSequence
from dataflow.library.parsing.configs import FixedLenFeature
from dataflow.library.parsing.examples import parse_single_example
from dataflow.library.parsing.sequence_examples import parse_single_sequence_example
from dataflow.ops.array.shape import reshape


class TFExampleDecoder(DataDecoder):
    """Makes items of a serialized `Example`.

    Args:
      keys_to_features: What its features are expected to be, as for `tf.parse_single_example`.
      items_to_handlers: The handler that makes each item.
    """

    def __init__(
        self, keys_to_features: Mapping[str, Any], items_to_handlers: Mapping[str, ItemHandler]
    ) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> Sequence[str]:
        """The names of all items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """The items of these names, or all, that a serialized example holds."""
        found = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            _shape(found, key, self._keys_to_features[key])
        return _items(self._items_to_handlers, items, found)


class TFSequenceExampleDecoder(DataDecoder):
    """Makes items of a serialized `SequenceExample`.

    Args:
      keys_to_context_features: What the features of its context are expected to be.
      keys_to_sequence_features: The same of those of its steps.
      items_to_handlers: The handler that makes each item.

    Raises:
      ValueError: A key is used twice.
    """

    def __init__(
        self,
        keys_to_context_features: Mapping[str, Any],
        keys_to_sequence_features: Mapping[str, Any],
        items_to_handlers: Mapping[str, ItemHandler],
    ) -> None:
        if set(keys_to_context_features) & set(keys_to_sequence_features):
            raise ValueError(
                "Context and sequence keys are not unique. \n"
                f" Context keys: {list(keys_to_context_features)} \n"
                f" Sequence keys: {list(keys_to_sequence_features)}"
            )
        self._keys_to_context_features = keys_to_context_features
        self._keys_to_sequence_features = keys_to_sequence_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> Any:
        """The names of all items."""
        return self._items_to_handlers.keys()

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """The items of these names, or all, that a serialized sequence example holds."""
        context, steps = parse_single_sequence_example(
            serialized_example, self._keys_to_context_features, self._keys_to_sequence_features
        )
        for key, feature in self._keys_to_context_features.items():
            _shape(context, key, feature)
        return _items(self._items_to_handlers, items, {**steps, **context})


def _shape(found: dict[str, Any], key: str, feature: Any) -> None:
    """Gives a dense feature its shape, which parsing need not know."""
    if isinstance(feature, FixedLenFeature):
        found[key] = reshape(found[key], feature.shape)


def _items(handlers: Mapping[str, ItemHandler], items: Any, found: Mapping[str, Any]) -> list[Any]:
    return [
        handlers[item].tensors_to_item({key: found[key] for key in handlers[item].keys})
        for item in (items or handlers.keys())
    ]
