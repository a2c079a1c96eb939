"""checkpoint_test_base of tf.data's tests: which ways of saving an iterator a test goes through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.library.datasets.settings.options import Options
from dataflow.porting.spellings.data.saved_iterators import DatasetSerializationTestBase
from dataflow.porting.spellings.framework.combinations import NamedObject, combine

_WAYS = (
    "verify_unused_iterator",
    "verify_fully_used_iterator",
    "verify_exhausted_iterator",
    "verify_multiple_breaks",
    "verify_reset_restored_iterator",
)

CheckpointTestBase = DatasetSerializationTestBase


def default_test_combinations() -> list[dict[str, Any]]:
    """One for each way, as the function `verify_fn` of a test, a function that makes a dataset, the
    count of its elements and what else the way takes."""
    return [each for way in _WAYS for each in combine(verify_fn=NamedObject(way, _verify(way)))]


def _verify(way: str) -> Callable[..., None]:
    def verify(
        obj: DatasetSerializationTestBase,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        **kwargs: bool,
    ) -> None:
        getattr(obj, way)(lambda: _unoptimized(ds_fn()), num_outputs, **kwargs)

    return verify


def _unoptimized(dataset: Any) -> Any:
    options = Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)
