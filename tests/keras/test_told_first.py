"""What `fit` tells first, and models that give themselves to their base, as in TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.keras.engine.training import Model
from dataflow.porting.spellings.keras.files import terminate_keras_multiprocessing_pools

X, Y = np.ones((6, 2), np.float32), np.ones((6, 1), np.float32)


def batches(times: int | None) -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat(times).batch(3)


def generator() -> Iterator[Any]:
    while True:
        yield X, Y


CASES: list[tuple[Any, dict[str, Any], str]] = [
    ((X, Y), {}, "Train on 6 samples"),
    ((X, Y), {"steps_per_epoch": 2}, "Train on 2 samples"),
    ((X, Y), {"validation_data": (X[:2], Y[:2])}, "Train on 6 samples, validate on 2 samples"),
    ((X, Y), {"validation_split": 0.5}, "Train on 3 samples, validate on 3 samples"),
    (lambda: batches(1), {}, "Train on 2 steps"),
    (lambda: batches(None), {"steps_per_epoch": 3}, "Train on 3 steps"),
    (lambda: batches(2), {"validation_data": 1}, "Train on 4 steps, validate on 2 steps"),
    (generator, {"steps_per_epoch": 2}, ""),
]


@pytest.mark.parametrize(("source", "options", "text"), CASES)
def test_how_much_there_is(
    source: Any, options: dict[str, Any], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    given = source if isinstance(source, tuple) else (source(),)
    if isinstance(options.get("validation_data"), int):
        options = {"validation_data": batches(1)}
    model.fit(*given, verbose=2, **options)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Train on")]
    assert told == ([text] if text else [])


def test_a_model_may_give_itself_to_its_base() -> None:
    class Own(Model):
        def __init__(self) -> None:
            super().__init__(self, name="own")

    assert Own().name == "own"
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        Model(inputs=tf.keras.Input((2,)))


def test_there_are_no_processes_to_end() -> None:
    assert terminate_keras_multiprocessing_pools(use_sigkill=True) == []
