"""tensorflow.python.keras.utils.mode_keys: what a model is asked to do."""

from typing import Final


class ModeKeys:
    """The names of training, evaluation and prediction."""

    TRAIN: Final = "train"
    TEST: Final = "test"
    PREDICT: Final = "predict"
