"""The names that features, results and signatures of models of time series have."""

from __future__ import annotations

from typing import ClassVar, Final


class State:
    """State of models."""

    STATE_TUPLE: ClassVar[str] = "start_tuple"
    STATE_PREFIX: ClassVar[str] = "model_state"


class Times:
    """Times."""

    TIMES: ClassVar[str] = "times"


class Values:
    """Values."""

    VALUES: ClassVar[str] = "values"


class TrainEvalFeatures(Times, Values):
    """What models are trained and evaluated on."""


class PredictionFeatures(Times, State):
    """What predictions are made of."""


class FilteringFeatures(Times, Values, State):
    """What state is updated by."""


class PredictionResults(Times):
    """What predictions have, among others."""


class FilteringResults(Times, State):
    """What evaluations give, among others."""


class SavedModelLabels:
    """Signatures of exported models."""

    PREDICT: ClassVar[str] = "serving_default"
    FILTER: ClassVar[str] = "filter"
    COLD_START_FILTER: ClassVar[str] = "cold_start_filter"


TIMES: Final = Times.TIMES
VALUES: Final = Values.VALUES
STATE_TUPLE: Final = State.STATE_TUPLE
