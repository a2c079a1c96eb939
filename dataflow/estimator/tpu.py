"""tf.estimator.tpu: estimators of programs that can do without a TPU."""

from dataflow.contrib.tpu import InputPipelineConfig as InputPipelineConfig
from dataflow.contrib.tpu import RunConfig as RunConfig
from dataflow.contrib.tpu import TPUConfig as TPUConfig
from dataflow.contrib.tpu import TPUEstimator as TPUEstimator
from dataflow.contrib.tpu import TPUEstimatorSpec as TPUEstimatorSpec
