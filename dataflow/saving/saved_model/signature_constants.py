"""Keys, inputs, outputs and methods of signatures, as servers know them."""

from __future__ import annotations

from typing import Final

DEFAULT_SERVING_SIGNATURE_DEF_KEY: Final = "serving_default"
CLASSIFY_INPUTS: Final = "inputs"
CLASSIFY_METHOD_NAME: Final = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES: Final = "classes"
CLASSIFY_OUTPUT_SCORES: Final = "scores"
PREDICT_INPUTS: Final = "inputs"
PREDICT_METHOD_NAME: Final = "tensorflow/serving/predict"
PREDICT_OUTPUTS: Final = "outputs"
REGRESS_INPUTS: Final = "inputs"
REGRESS_METHOD_NAME: Final = "tensorflow/serving/regress"
REGRESS_OUTPUTS: Final = "outputs"
DEFAULT_TRAIN_SIGNATURE_DEF_KEY: Final = "train"
DEFAULT_EVAL_SIGNATURE_DEF_KEY: Final = "eval"
SUPERVISED_TRAIN_METHOD_NAME: Final = "tensorflow/supervised/training"
SUPERVISED_EVAL_METHOD_NAME: Final = "tensorflow/supervised/eval"
