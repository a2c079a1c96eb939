"""Callback, and the list of them that a loop tells of its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.keras.progress import Progbar, show


class Callback:
    """What is told when epochs and batches begin and end: subclasses override what they need.

    Attributes:
      model: The model.
      params: What the loop was called with.
    """

    def __init__(self) -> None:
        self.validation_data: Any = None
        self.model: Any = None
        self.params: Any = None

    def set_params(self, params: Any) -> None:
        """Takes what the loop was called with."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Takes the model."""
        self.model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of training begins."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of training is over."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """An epoch begins."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """An epoch is over."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of training begins."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of training is over."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of an evaluation begins."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of an evaluation is over."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """A batch of predictions begins."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """A batch of predictions is over."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Training is over."""

    def on_test_begin(self, logs: Any = None) -> None:
        """An evaluation begins."""

    def on_test_end(self, logs: Any = None) -> None:
        """An evaluation is over."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Predictions begin."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Predictions are over."""


def _tells_of_a_batch(event: str) -> Callable[..., None]:
    """A method of the list for the beginning or the end of a batch."""

    def tell(self: CallbackList, batch: int, logs: Any = None) -> None:
        for each in self.callbacks:
            getattr(each, event)(batch, logs or {})

    return tell


def _tells_of_a_loop(event: str) -> Callable[..., None]:
    """A method of the list for the beginning or the end of a whole loop."""

    def tell(self: CallbackList, logs: Any = None) -> None:
        for each in self.callbacks:
            getattr(each, event)(logs)

    return tell


class CallbackList:
    """Callbacks that are told one after the other."""

    def __init__(self, callbacks: Any = None, queue_length: int = 10) -> None:
        self.callbacks: list[Any] = list(callbacks or ())
        self.params: Any = {}
        self.model: Any = None

    def append(self, callback: Any) -> None:
        """One more."""
        self.callbacks.append(callback)

    def set_params(self, params: Any) -> None:
        """Tells all what the loop was called with."""
        self.params = params
        for each in self.callbacks:
            each.set_params(params)

    def set_model(self, model: Any) -> None:
        """Tells all the model."""
        self.model = model
        for each in self.callbacks:
            each.set_model(model)

    def __iter__(self) -> Any:
        return iter(self.callbacks)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Tells all that an epoch begins."""
        for each in self.callbacks:
            each.on_epoch_begin(epoch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Tells all that an epoch is over."""
        for each in self.callbacks:
            each.on_epoch_end(epoch, logs or {})

    on_batch_begin = _tells_of_a_batch("on_train_batch_begin")
    on_batch_end = _tells_of_a_batch("on_train_batch_end")
    on_train_batch_begin = _tells_of_a_batch("on_train_batch_begin")
    on_train_batch_end = _tells_of_a_batch("on_train_batch_end")
    on_test_batch_begin = _tells_of_a_batch("on_test_batch_begin")
    on_test_batch_end = _tells_of_a_batch("on_test_batch_end")
    on_predict_batch_begin = _tells_of_a_batch("on_predict_batch_begin")
    on_predict_batch_end = _tells_of_a_batch("on_predict_batch_end")
    on_train_begin = _tells_of_a_loop("on_train_begin")
    on_train_end = _tells_of_a_loop("on_train_end")
    on_test_begin = _tells_of_a_loop("on_test_begin")
    on_test_end = _tells_of_a_loop("on_test_end")
    on_predict_begin = _tells_of_a_loop("on_predict_begin")
    on_predict_end = _tells_of_a_loop("on_predict_end")


class BaseLogger(Callback):
    """Means of an epoch over its samples."""

    def __init__(self, stateful_metrics: Any = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())


class History(Callback):
    """Keeps what each epoch ends with: `history`, name -> list, and `epoch`, their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins a new list of epochs."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keeps the results of an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class ProgbarLogger(Callback):
    """Shows a bar for each epoch."""

    def __init__(self, count_mode: str = "samples", stateful_metrics: Any = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"Unknown `count_mode`: {count_mode}")
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self._bar: Progbar | None = None
        self._seen = 0
        self._trains = False

    def on_train_begin(self, logs: Any = None) -> None:
        """Until training ends, the bars are those of its epochs."""
        self._trains = True

    def on_train_end(self, logs: Any = None) -> None:
        """Bars may be those of evaluations again."""
        self._trains = False

    def _start(self) -> None:
        self._seen = 0
        target = self.params["steps" if self.use_steps else "samples"]
        known = [*self.stateful_metrics, *(n for n in self.params["metrics"] if n != "loss")]
        unit = "step" if self.use_steps else "sample"
        self._bar = Progbar(
            target, verbose=self.params["verbose"], stateful_metrics=known, unit_name=unit
        )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """A new bar."""
        self._start()
        if self.params["verbose"] and self.params["epochs"] > 1:
            show(f"Epoch {epoch + 1}/{self.params['epochs']}")

    def _step(self, logs: Any) -> None:
        self._seen += 1 if self.use_steps else logs.get("size", 0)
        bar = self._bar
        if bar is None or not self.params["verbose"]:
            return
        if bar.target is None or self._seen < bar.target:
            bar.update(self._seen, self._values(logs))
        else:
            self._rest = self._values(logs)

    def _values(self, logs: Any) -> list[Any]:
        return [(name, logs[name]) for name in self.params["metrics"] if name in logs]

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step more."""
        self._step(logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """The bar is full."""
        bar = self._bar
        if bar is None or not self.params["verbose"]:
            return
        logs = logs or {}
        bar.stateful_metrics |= set(logs)
        bar.target = bar.target or self._seen
        bar.update(max(self._seen, bar.target), [(n, v) for n, v in logs.items() if np_like(v)])

    def on_test_begin(self, logs: Any = None) -> None:
        """A new bar, unless it is within training."""
        if not self._trains:
            self._start()

    on_predict_begin = on_test_begin

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step more, unless it is within training."""
        if self._trains:
            return
        self._step(logs or {})
        if self._bar is not None and self.params["verbose"] and self._seen == self._bar.target:
            self._bar.update(self._seen, self._values(logs or {}))

    on_predict_batch_end = on_test_batch_end


def np_like(value: Any) -> bool:
    """Whether it is a number."""
    return hasattr(value, "__float__")


def configure_callbacks(
    callbacks: Any, model: Any, do_validation: bool, batch_size: Any, epochs: int, steps: Any,
    samples: Any, verbose: int, count_mode: str, mode: str = "train",
) -> CallbackList:  # fmt: skip
    """The callbacks of a loop, with those that are always there, told of the model."""
    if isinstance(callbacks, CallbackList):
        return callbacks
    given = (
        list(callbacks)
        if isinstance(callbacks, (list, tuple))
        else ([callbacks] if callbacks else [])
    )
    names = [] if mode == "predict" else list(model.metrics_names)
    if mode == "train":
        model.history = History()
        given = [BaseLogger(), *given, model.history]
    if verbose:
        given.append(ProgbarLogger(count_mode))
    told = CallbackList(given)
    told.set_model(getattr(model, "callback_model", None) or model)
    told.set_params(
        {
            "batch_size": batch_size,
            "epochs": epochs,
            "steps": steps,
            "samples": samples,
            "verbose": verbose,
            "do_validation": do_validation,
            "metrics": [*names, *(f"val_{n}" for n in names)] if do_validation else names,
        }
    )
    if mode == "train":
        model.stop_training = False
    return told
