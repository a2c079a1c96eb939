"""TPUEstimator with use_tpu=False: an Estimator that tells functions the size of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from dataflow.contrib.tpu.config import RunConfig
from dataflow.contrib.tpu.spec import TPUEstimatorSpec
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.functions import argument_names
from dataflow.estimation.model_spec import ModeKeys

_RESERVED = ("batch_size", "context")


class TPUEstimator(Estimator):
    """An Estimator whose `params["batch_size"]` is that of the mode. There are no TPUs here."""

    _overridable: ClassVar[frozenset[str]] = Estimator._overridable | {
        "_as_spec",
        "_params_of",
    }

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          model_fn: As of `tf.estimator.Estimator`; may give a TPUEstimatorSpec.
          model_dir: See there.
          config: A `tf.contrib.tpu.RunConfig`.
          params: A dictionary, without "batch_size" and "context".
          use_tpu: Must be False.
          train_batch_size: Is `params["batch_size"]` when the model trains.
          eval_batch_size: The same for evaluation; `train_batch_size` if None.
          predict_batch_size: The same for prediction.
          batch_axis: Not used without a TPU.
          eval_on_tpu: Not used.
          export_to_tpu: Not used.
          export_to_cpu: Not used.
          warm_start_from: As of `tf.estimator.Estimator`.
          embedding_config_spec: Not used.
          export_saved_model_api_version: Not used.

        Raises:
          NotImplementedError: `use_tpu` is True.
          ValueError: The configuration is another, or `params` has a reserved key.
        """
        if use_tpu:
            raise NotImplementedError(
                "There are no TPUs here: TPUEstimator works with use_tpu=False, as an Estimator."
            )
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if params is not None and any(name in params for name in _RESERVED):
            raise ValueError(f"{list(_RESERVED)} are reserved keys but existed in params {params}.")
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: train_batch_size if eval_batch_size is None else eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        # A function that takes parameters is given the size of a batch, if nothing else.
        if params is None and "params" in argument_names(model_fn):
            params = {}
        super().__init__(model_fn, model_dir, config, params, warm_start_from)

    def _params_of(self, mode: str) -> Any:
        params = self.params
        size = self._batch_sizes.get(mode)
        if size is not None:
            if hasattr(params, "add_hparam"):
                params.add_hparam("batch_size", size)
            else:
                params["batch_size"] = size
        return params

    def _as_spec(self, given: Any) -> Any:
        return given.as_estimator_spec() if isinstance(given, TPUEstimatorSpec) else given
