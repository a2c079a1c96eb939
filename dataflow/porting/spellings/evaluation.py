"""tensorflow.python.training.evaluation."""

import dataflow.training.evaluation as _evaluation
from dataflow.training.evaluation import StopAfterNEvalsHook as StopAfterNEvalsHook

_StopAfterNEvalsHook = _evaluation.StopAfterNEvalsHook
_evaluate_once = _evaluation.evaluate_once
_get_or_create_eval_step = _evaluation.get_or_create_eval_step
