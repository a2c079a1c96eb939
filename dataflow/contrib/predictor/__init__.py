"""tf.contrib.predictor: models as functions of dicts of arrays."""

from dataflow.contrib.predictor.factories import from_contrib_estimator as from_contrib_estimator
from dataflow.contrib.predictor.factories import from_estimator as from_estimator
from dataflow.contrib.predictor.factories import from_saved_model as from_saved_model
from dataflow.contrib.predictor.predictor import Predictor as Predictor
