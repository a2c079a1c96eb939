"""Inner modules of Keras' engine as TensorFlow's tests use them; TensorFlow 1.15's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.porting.spellings.keras.engine import adapters, aggregators, sources

ROWS = np.arange(60).reshape(6, 10)
Dataset = tf.data.Dataset


class Batches(tf.keras.utils.Sequence):
    def __getitem__(self, index: int) -> Any:
        return np.full((5, 3), float(index)), np.ones(5)

    def __len__(self) -> int:
        return 10


def one_batch() -> Any:
    yield np.ones((5, 3)), np.ones(5)


def test_each_kind_of_data_has_one_adapter() -> None:
    array, tensor = np.zeros((4, 2)), tf.zeros([4, 2])
    dataset = Dataset.from_tensors(array)
    kinds = {
        adapters.TensorLikeDataAdapter: [array, tensor, [array, tensor]],
        adapters.CompositeTensorDataAdapter: [tf.SparseTensor([[0]], [1.0], [3])],
        adapters.ListsOfScalarsDataAdapter: [[1, 2], [["a"], ["b"]]],
        adapters.DatasetAdapter: [dataset],
        adapters.GeneratorDataAdapter: [one_batch()],
        adapters.KerasSequenceAdapter: [Batches()],
    }
    for kind, examples in kinds.items():
        assert [adapters.select_data_adapter(each, None) for each in examples] == [kind] * len(
            examples
        )
    with pytest.raises(ValueError, match="Failed to find data adapter that can handle input"):
        adapters.select_data_adapter({"a": object()}, None)
    with pytest.raises(ValueError, match="Cannot handle input"):
        adapters.DatasetAdapter(array)
    with pytest.raises(ValueError, match="`y` argument is not supported when using dataset"):
        adapters.DatasetAdapter(dataset, array)


def test_sizes_of_batches() -> None:
    kind, x, y = adapters.TensorLikeDataAdapter, np.zeros((50, 3)), np.ones(50)
    with pytest.raises(ValueError, match="`batch_size` or `steps` is required"):
        kind(x, y)
    wanted = {(5, None): (5, 10, None), (4, None): (4, 13, 2), (None, 4): (13, 4, 11)}
    for (batch_size, steps), sizes in wanted.items():
        made = kind(x, y, batch_size=batch_size, steps=steps)
        assert (made.batch_size(), made.get_size(), made.partial_batch_size()) == sizes
        assert made.has_partial_batch() == (sizes[2] is not None)
        assert not made.should_recreate_iterator(3)
    shapes = kind(x, y, [None, np.ones(50)], batch_size=5).get_dataset().output_shapes
    assert [each.as_list() for each in tf.nest.flatten(shapes)] == [[5, 3], [5], [5], [5]]


@pytest.mark.parametrize("shuffle", [False, True])
def test_epochs_of_arrays(shuffle: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = adapters.TensorLikeDataAdapter(np.arange(7), batch_size=3, epochs=2, shuffle=shuffle)
        (batch,) = made.get_dataset().make_one_shot_iterator().get_next()
        found = [session.run(batch).tolist() for _ in range(6)]
        assert [len(each) for each in found] == [3, 3, 1] * 2
        epochs = [[row for batch in part for row in batch] for part in (found[:3], found[3:])]
        assert [sorted(each) for each in epochs] == [[*range(7)]] * 2
        assert (epochs == [[*range(7)]] * 2) != shuffle


def test_models_train_on_what_adapters_make() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    for made, sizes in (
        (adapters.GeneratorDataAdapter(one_batch()), (None, 5)),
        (adapters.KerasSequenceAdapter(Batches()), (10, 5)),
    ):
        assert (made.get_size(), made.batch_size()) == sizes
        assert not made.has_partial_batch()
        history = model.fit(made.get_dataset(), steps_per_epoch=1, verbose=0)
        assert len(history.history["loss"]) == 1


def aggregated(use_steps: bool) -> Any:
    made = aggregators.OutputsAggregator(use_steps=use_steps, num_samples=None if use_steps else 6)
    begin = 0
    for batch in np.array_split(ROWS, 4):
        if not made.results:
            made.create((batch, batch))
        made.aggregate((batch, batch), begin, begin + len(batch))
        begin += len(batch)
    made.finalize()
    return made.results


def test_results_of_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for use_steps in (True, False):
        first, second = aggregated(use_steps)
        assert np.array_equal(first, ROWS) and np.array_equal(second, ROWS)
    monkeypatch.setattr(aggregators.SliceAggregator, "_BINARY_SIZE_THRESHOLD", 15)
    assert np.array_equal(aggregated(False)[0], ROWS)
    slices = aggregators.SliceAggregator
    monkeypatch.setattr(slices, "_slice_assign", lambda *_: None)
    monkeypatch.setattr(slices, "_MAX_COPY_SECONDS", 0.01)
    with pytest.raises(ValueError, match="Timed out waiting for copy"):
        aggregated(False)


def test_a_single_batch_is_not_copied() -> None:
    for use_steps in (True, False):
        made = aggregators.OutputsAggregator(use_steps=use_steps, num_samples=6)
        made.create(ROWS)
        made.aggregate(ROWS, 0, 6)
        made.finalize()
        assert made.results is ROWS
    with pytest.raises(RuntimeError, match="Attempted to aggregate unsupported object 3"):
        made.create(3)
    losses = aggregators.MetricsAggregator(use_steps=False, num_samples=6)
    losses.create([1.0, 0.5])
    for begin, end, loss in ((0, 4, 1.0), (4, 6, 4.0)):
        losses.aggregate([loss, 0.25], begin, end)
    losses.finalize()
    assert losses.results == [2.0, 0.25]


def test_sparse_results() -> None:
    made = aggregators.OutputsAggregator(use_steps=True)
    part = tf.SparseTensorValue(np.array([[0, 1]]), np.array([3.0]), np.array([2, 4]))
    made.create([part])
    made.aggregate([part])
    made.aggregate([part])
    made.finalize()
    assert made.results[0].indices.tolist() == [[0, 1], [2, 1]]
    assert made.results[0].dense_shape.tolist() == [4, 4]


def test_inputs_become_placeholders() -> None:
    single = sources.ModelInputs(np.ones(10))
    assert single.get_input_names() == ["input_1"]
    tensor = single.get_symbolic_inputs()
    assert (tensor.dtype, tensor.shape.as_list()) == (tf.float32, [None, 1])
    assert single.get_symbolic_inputs(return_single_as_list=True) == [tensor]
    named = sources.ModelInputs({"b": np.ones((10, 3), np.int32), "a": np.ones(4)})
    assert named.get_input_names() == ["a", "b"]
    assert named.get_symbolic_inputs()["b"].dtype == tf.int32
    assert [name for name, _ in named.as_dict()] == ["a", "b"]


KINDS: dict[str, tuple[Callable[[], Any], bool, bool]] = {
    "batch": (lambda: Dataset.range(5).batch(2), True, False),
    "padded": (lambda: Dataset.range(5).padded_batch(2, []), True, False),
    "window": (lambda: Dataset.range(5).window(2), True, False),
    "shuffled": (lambda: Dataset.range(5).shuffle(2), False, True),
    "flat": (lambda: Dataset.range(5).flat_map(Dataset.from_tensors), True, True),
    "mapped": (lambda: Dataset.range(5).map(lambda x: x, 2).prefetch(1), False, False),
    "zipped": (lambda: Dataset.zip(Dataset.range(5).batch(2)), True, False),
    "files": (lambda: tf.data.TFRecordDataset([]), False, False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_datasets_are_made_of(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, is_batched, is_shuffled = KINDS[kind]
    for check, found in (
        (sources.assert_not_batched, is_batched),
        (sources.assert_not_shuffled, is_shuffled),
    ):
        if found:
            with pytest.raises(ValueError, match="Could not assert that dataset is not"):
                check(make())
        else:
            check(make())
    told: list[str] = []
    monkeypatch.setattr(sources.logging, "warning", told.append)
    sources.verify_dataset_shuffled(make())
    assert ["`x` is not shuffled" in each for each in told] == ([] if is_shuffled else [True])


def test_batches_of_any_data() -> None:
    data = (np.arange(10.0)[:, None], {"a": np.arange(10)})
    batches, steps = sources.convert_to_generator_like(data, batch_size=4, epochs=2)
    found = [batch[1]["a"].tolist() for batch in batches]
    assert steps == 3
    assert found == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] * 2
    assert sources.convert_to_generator_like(Batches())[1] == 10
    with pytest.raises(ValueError, match="Please use `batch_size` instead"):
        sources.convert_to_generator_like((data[0], None))


def test_when_models_are_validated() -> None:
    assert [sources.should_run_validation(2, epoch) for epoch in range(4)] == [False, True] * 2
    assert sources.should_run_validation([1, 3], 2)
    with pytest.raises(ValueError, match="can not be less than 1"):
        sources.should_run_validation(0, 1)
    with pytest.raises(ValueError, match="must be an Integer"):
        sources.should_run_validation(1.5, 1)
