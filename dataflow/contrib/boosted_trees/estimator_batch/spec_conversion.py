"""EstimatorSpecs of tf.estimator's heads as what model functions of tf.contrib.learn give."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.model_fn import ModeKeys as OlderModes
from dataflow.contrib.learn.model_fn import ModelFnOps
from dataflow.estimation.export_outputs import ClassificationOutput
from dataflow.estimation.model_spec import ModeKeys

_MODES = {
    ModeKeys.TRAIN: OlderModes.TRAIN,
    ModeKeys.EVAL: OlderModes.EVAL,
    ModeKeys.PREDICT: OlderModes.INFER,
}


def estimator_spec_to_model_fn_ops(
    estimator_spec: Any, export_alternatives: bool = False
) -> ModelFnOps:
    """The same as ModelFnOps.

    Args:
      estimator_spec: An EstimatorSpec.
      export_alternatives: Whether what it exports comes along: classes and their scores.
    """
    alternatives: Any = []
    if export_alternatives:
        outputs = estimator_spec.export_outputs
        alternatives = None if outputs is None else _alternatives(outputs)
    return ModelFnOps(
        mode=_MODES[estimator_spec.mode],
        predictions=estimator_spec.predictions,
        loss=estimator_spec.loss,
        train_op=estimator_spec.train_op,
        eval_metric_ops=estimator_spec.eval_metric_ops,
        output_alternatives=alternatives,
    )


def _alternatives(outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        key: (
            ProblemType.CLASSIFICATION,
            {PredictionKey.SCORES: value.scores, PredictionKey.CLASSES: value.classes},
        )
        for key, value in outputs.items()
        if isinstance(value, ClassificationOutput)
    }
