"""The loops over epochs and batches of fit, evaluate and predict."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from dataflow.keras.engine import data, given
from dataflow.keras.progress import show

Parts = tuple[list[Any], list[Any], list[Any]]


class _Source:
    """The batches of one epoch after the other, of arrays or of what gives batches itself."""

    def __init__(
        self,
        model: Any,
        x: Any,
        y: Any,
        weights: Any,
        class_weight: Any,
        batch_size: int | None,
        steps: int | None,
        with_targets: bool = True,
        steps_name: str = "steps",
    ) -> None:
        self.model, self.class_weight, self.with_targets = model, class_weight, with_targets
        self.batches = data.Batches(x) if data.is_batches(x) else None
        self.samples: int | None = None
        self.steps = self.given_steps = steps
        self.batch_size = batch_size or 32
        self.parts: Parts = ([], [], [])
        if self.batches is not None:
            given.check_alone(x, y, batch_size, weights)
            self.steps = steps or self.batches.steps
            if self.steps is None:
                self.steps = given.steps_of(x, steps_name)
            return
        self.parts = model._self_standardize(x, y, weights, class_weight, with_targets)
        self.samples = data.count_rows(self.parts[0]) or data.count_rows(self.parts[1])
        if (self.samples is None or x is None) and steps is None:
            raise ValueError(
                "When using data tensors as input to a model, you should specify the "
                f"`{steps_name}` argument."
            )
        if self.samples is not None and steps is not None:
            self.batch_size = -(-self.samples // steps)
        elif with_targets and model.stateful and self.samples % self.batch_size:  # type: ignore[operator]
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that "
                f"can be divided by the batch size. Found: {self.samples} samples"
            )

    @property
    def are_python_batches(self) -> bool:
        """Whether Python makes the batches."""
        source = None if self.batches is None else self.batches.source
        return source is not None and not (data.is_dataset(source) or data.is_iterator(source))

    @property
    def counts_steps(self) -> bool:
        """Whether progress is told in steps rather than samples."""
        return self.samples is None

    @property
    def target(self) -> int | None:
        """How many steps or samples an epoch has."""
        return self.steps if self.samples is None else self.samples

    def split_last(self, share: float) -> Parts:
        """Takes the last samples out, and gives them."""
        if self.batches is not None:
            given.check_not_split(self.batches.source, share)
        if self.samples is None:
            raise ValueError(
                "If your data is in the form of symbolic tensors, you cannot use "
                "`validation_split`."
            )
        at = int(self.samples * (1.0 - share))
        first, last = slice(0, at), slice(at, None)
        taken = tuple(data.rows_of(each, last) for each in self.parts)
        self.parts = tuple(data.rows_of(each, first) for each in self.parts)  # type: ignore[assignment]
        self.samples = at
        return taken  # type: ignore[return-value]

    def epoch(self, shuffle: Any = False) -> Iterator[tuple[int, Parts]]:
        """The batches of an epoch, each with its size."""
        if self.batches is not None:
            yield from self._given(bool(shuffle))
        elif self.samples is None:
            assert self.steps is not None
            for _ in range(self.steps):
                yield 1, self.parts
        else:
            order = np.arange(self.samples)
            if shuffle == "batch":
                whole = self.samples // self.batch_size * self.batch_size
                mixed = order[:whole].reshape(-1, self.batch_size)
                np.random.shuffle(mixed)
                order = np.concatenate([mixed.reshape(-1), order[whole:]])
            elif shuffle:
                np.random.shuffle(order)
            for start in range(0, self.samples, self.batch_size):
                chosen = order[start : start + self.batch_size]
                index = chosen if shuffle else slice(start, start + len(chosen))
                yield len(chosen), tuple(data.rows_of(each, index) for each in self.parts)  # type: ignore[misc]

    def _given(self, shuffle: bool) -> Iterator[tuple[int, Parts]]:
        batches = self.batches
        assert batches is not None
        batches.start(shuffle)
        taken = 0
        limit = self.given_steps or batches.steps
        while limit is None or taken < limit:
            try:
                batch = batches.take()
            except StopIteration:
                if limit is not None:
                    warnings.warn(
                        "Your dataset ran out of data; interrupting training. Make sure that your "
                        "dataset can generate at least `steps_per_epoch * epochs` batches. You "
                        "may need to use the repeat() function when building your dataset.",
                        stacklevel=2,
                    )
                break
            taken += 1
            if self.with_targets:
                x, y, weights = data.parts_of(batch)
            else:
                x, y, weights = data.parts_of(batch)[0], None, None
            parts = self.model._self_standardize(
                x, y, weights, self.class_weight, self.with_targets
            )
            size = data.count_rows(parts[0]) or data.count_rows(parts[1]) or 1
            yield size, parts
        if limit is None:
            self.steps = taken
            batches.again()
        batches.end()


class _Averages:
    """The results of an epoch: the mean loss over samples, and what metrics say in the end."""

    def __init__(self) -> None:
        self.loss, self.samples = np.float64(0), 0
        self.last: list[Any] = []

    def add(self, results: list[Any], size: int) -> None:
        """Adds those of a batch."""
        self.loss += np.float64(results[0]) * size
        self.samples += size
        self.last = list(results)

    def results(self) -> list[Any]:
        """Those of all batches."""
        return [self.loss / max(self.samples, 1), *self.last[1:]]


def _begun(source: _Source, validation: _Source | None) -> str:
    """What is told when training begins: how much there is."""
    is_dataset = source.batches is not None and data.is_dataset(source.batches.source)
    unit = "steps" if is_dataset else "samples"
    told = f"Train on {source.given_steps or source.target} {unit}"
    further = None if validation is None else validation.target
    return f"{told}, validate on {further} {unit}" if further else told


def fit(
    model: Any, x: Any, y: Any, batch_size: Any, epochs: int, verbose: int, callbacks: Any,
    validation_split: float, validation_data: Any, shuffle: Any, class_weight: Any,
    sample_weight: Any, initial_epoch: int, steps_per_epoch: Any, validation_steps: Any,
    validation_freq: Any,
) -> Any:  # fmt: skip
    """Trains a model; see `Model.fit`."""
    from dataflow.keras.callbacks import configure_callbacks

    source = _Source(
        model, x, y, sample_weight, class_weight, batch_size, steps_per_epoch,
        steps_name="steps_per_epoch",
    )  # fmt: skip
    validation: _Source | None = None
    if validation_data is not None:
        vx, vy, vw = validation_data, None, None
        if isinstance(validation_data, (list, tuple)):
            if len(validation_data) not in (2, 3):
                raise ValueError(
                    "When passing a `validation_data` argument, it must contain either 2 items "
                    "(x_val, y_val), or 3 items (x_val, y_val, val_sample_weights), or "
                    "alternatively it could be a dataset or a dataset or a dataset iterator. "
                    f"However we received `validation_data={str(validation_data)[:200]}`"
                )
            vx, vy, vw = (*validation_data, None)[:3]
        size = None if data.is_batches(vx) else batch_size
        validation = _Source(
            model, vx, vy, vw, None, size, validation_steps, steps_name="validation_steps"
        )
    elif validation_split and 0.0 < validation_split < 1.0:
        held = source.split_last(validation_split)
        validation = _Source.__new__(_Source)
        vars(validation).update(vars(source), parts=held, samples=data.count_rows(held[0]))
    elif validation_steps:
        raise ValueError("`validation_steps` should not be specified if `validation_data` is None.")
    told = configure_callbacks(
        callbacks, model, validation is not None, source.batch_size, epochs, source.steps,
        source.samples, verbose, "steps" if source.counts_steps else "samples",
    )  # fmt: skip
    if validation is not None:
        model.validation_data = [part for parts in validation.parts for part in parts]
    if verbose and not source.are_python_batches:
        show(_begun(source, validation))
    told.on_train_begin()
    for epoch in range(initial_epoch, epochs):
        if model.stop_training:
            break
        model.reset_metrics()
        told.on_epoch_begin(epoch)
        averages = _Averages()
        for index, (size, parts) in enumerate(source.epoch(shuffle)):
            told.on_batch_begin(index, {"batch": index, "size": size})
            results = model._self_run("train", *parts)
            averages.add(results, size)
            if index == 0:  # A subclass may have made metrics when it was called.
                names = model.metrics_names
            logs = {"batch": index, "size": size, **dict(zip(names, results, strict=True))}
            told.on_batch_end(index, logs)
            if model.stop_training:
                break
        if not averages.samples:
            break
        logs = dict(zip(names, averages.results(), strict=True))
        if validation is not None and _validates(epoch, validation_freq):
            told.on_test_begin()
            found = _evaluated(model, validation, told)
            told.on_test_end()
            logs |= {f"val_{name}": value for name, value in zip(names, found, strict=True)}
        told.on_epoch_end(epoch, logs)
    told.on_train_end()
    return model.history


def _validates(epoch: int, freq: Any) -> bool:
    if isinstance(freq, int) and freq < 1:
        raise ValueError("`validation_freq` can not be less than 1.")
    if not isinstance(freq, (int, Container)):
        raise ValueError(
            "`validation_freq` must be an Integer or `collections_abc.Container` (e.g. list, "
            f"tuple, etc.), found: {freq}"
        )
    return (epoch + 1) % freq == 0 if isinstance(freq, int) else epoch + 1 in freq


def _evaluated(model: Any, source: _Source, told: Any = None) -> list[Any]:
    model.reset_metrics()
    averages = _Averages()
    for index, (size, parts) in enumerate(source.epoch()):
        if told is not None:
            told.on_test_batch_begin(index, {"batch": index, "size": size})
        results = model._self_run("test", *parts)
        averages.add(results, size)
        if told is not None:
            named = dict(zip(model.metrics_names, results, strict=True))
            told.on_test_batch_end(index, {"batch": index, "size": size, **named})
    return averages.results()


def evaluate(
    model: Any, x: Any, y: Any, batch_size: Any, verbose: int, weights: Any, steps: Any,
    callbacks: Any,
) -> Any:  # fmt: skip
    """Evaluates a model; see `Model.evaluate`."""
    from dataflow.keras.callbacks import configure_callbacks

    source = _Source(model, x, y, weights, None, batch_size, steps)
    told = configure_callbacks(
        callbacks, model, False, source.batch_size, 1, source.steps, source.samples, verbose,
        "steps" if source.counts_steps else "samples", mode="test",
    )  # fmt: skip
    told.on_test_begin()
    found = _evaluated(model, source, told)
    told.on_test_end()
    return found[0] if len(found) == 1 else found


def _check_rows(results: list[Any], size: int, is_all: bool) -> None:
    """Raises ValueError for more rows than a batch has, or another number if it is the only one."""
    for each in results:
        rows = each.shape[0]
        if rows > size or (is_all and rows != size):
            raise ValueError(
                "Mismatch between expected batch size and model output batch size. Output shape = "
                f"{each.shape}, expected output shape = shape {(size, *each.shape[1:])}"
            )


def predict(model: Any, x: Any, batch_size: Any, verbose: int, steps: Any, callbacks: Any) -> Any:
    """Predicts; see `Model.predict`."""
    from dataflow.keras.callbacks import configure_callbacks

    source = _Source(model, x, None, None, None, batch_size, steps, with_targets=False)
    told = configure_callbacks(
        callbacks, model, False, source.batch_size, 1, source.steps, source.samples, verbose,
        "steps" if source.counts_steps else "samples", mode="predict",
    )  # fmt: skip
    told.on_predict_begin()
    found: list[list[Any]] = []
    for index, (size, parts) in enumerate(source.epoch()):
        told.on_predict_batch_begin(index, {"batch": index, "size": size})
        results = model._self_run("predict", parts[0])
        if source.samples is not None:
            _check_rows(results, size, size == source.samples)
        found.append(results)
        told.on_predict_batch_end(index, {"batch": index, "size": size, "outputs": results})
    told.on_predict_end()
    joined = [np.concatenate(each, axis=0) for each in zip(*found, strict=True)]
    return joined[0] if len(joined) == 1 else joined
