"""tf.contrib.tpu: estimators of programs that can do without a TPU; there is none here."""

from dataflow.contrib.tpu.config import InputPipelineConfig as InputPipelineConfig
from dataflow.contrib.tpu.config import RunConfig as RunConfig
from dataflow.contrib.tpu.config import TPUConfig as TPUConfig
from dataflow.contrib.tpu.estimator import TPUEstimator as TPUEstimator
from dataflow.contrib.tpu.optimizer import CrossShardOptimizer as CrossShardOptimizer
from dataflow.contrib.tpu.spec import TPUEstimatorSpec as TPUEstimatorSpec
