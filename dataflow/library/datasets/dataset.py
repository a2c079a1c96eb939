"""tf.data.Dataset: a stream of elements, described by nodes of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.library.datasets import sampling
from dataflow.library.datasets.base import DatasetBase
from dataflow.library.datasets.batching import BatchingMethods
from dataflow.library.datasets.elementwise import ElementwiseMethods
from dataflow.library.datasets.experimental.storing import StoringMethods
from dataflow.library.datasets.iterators import Iterator
from dataflow.library.datasets.ordering import OrderingMethods
from dataflow.library.datasets.rebatching import RebatchingMethods
from dataflow.library.datasets.source_methods import SourceMethods


class Dataset(
    SourceMethods,
    ElementwiseMethods,
    OrderingMethods,
    BatchingMethods,
    RebatchingMethods,
    StoringMethods,
    DatasetBase,
):
    """A stream of elements, each a structure of tensors.

    Datasets are made by the static methods, and of other datasets by the others; iterators give
    their elements to steps.

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> element = dataset.make_one_shot_iterator().get_next()
    >>> with tf.Session() as session:
    ...     print(session.run(element), session.run(element), session.run(element))
    [0 1] [4 9] [16]
    """

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        """Pairs of a class and an element, some left out so that classes are distributed.

        Args:
          class_func: Takes the components of an element; returns its class, a scalar int32.
          target_dist: How the classes are to be distributed: a vector.
          initial_dist: How they are distributed; they are counted if None.
          seed: Decides on what is left out, with the seed of the graph.
          name: Name of the operation.
        """
        return sampling.rejection_resample(
            Dataset, self, class_func, target_dist, initial_dist, seed
        )


DatasetBase._plain = Dataset


def make_one_shot_iterator(dataset: Any) -> Iterator:
    """An iterator over the elements of a dataset that needs no initializer.

    Args:
      dataset: The dataset.

    Raises:
      ValueError: It depends on state or on what is fed.
    """
    made: Iterator = dataset.make_one_shot_iterator()
    return made


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator over the elements of a dataset, which begins when its `initializer` is run.

    Args:
      dataset: The dataset.
      shared_name: Name under which sessions share the iterator.

    Raises:
      ValueError: The default graph is another one than the dataset's.
    """
    made: Iterator = dataset.make_initializable_iterator(shared_name)
    return made


def get_output_types(dataset_or_iterator: Any) -> Any:
    """Element types of the components of an element, in its form."""
    return _described(dataset_or_iterator).output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Shapes of the components of an element, in its form."""
    return _described(dataset_or_iterator).output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Classes of the components of an element, in its form."""
    return _described(dataset_or_iterator).output_classes


def _described(dataset_or_iterator: Any) -> Any:
    if not hasattr(dataset_or_iterator, "element_spec"):
        raise TypeError(
            "`dataset_or_iterator` must be a Dataset or Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        )
    return dataset_or_iterator
