"""tf.contrib.tensor_forest.client.random_forest: estimators, and what they are made of."""

from typing import Final as _Final

from dataflow.contrib.tensor_forest.client.estimators import (
    CoreTensorForestEstimator as CoreTensorForestEstimator,
)
from dataflow.contrib.tensor_forest.client.estimators import (
    MultiForestMultiHeadEstimator as MultiForestMultiHeadEstimator,
)
from dataflow.contrib.tensor_forest.client.estimators import (
    TensorForestEstimator as TensorForestEstimator,
)
from dataflow.contrib.tensor_forest.client.hooks import LOSS_NAME as LOSS_NAME
from dataflow.contrib.tensor_forest.client.hooks import (
    TensorForestLossHook as TensorForestLossHook,
)
from dataflow.contrib.tensor_forest.client.hooks import (
    TensorForestRunOpAtEndHook as TensorForestRunOpAtEndHook,
)
from dataflow.contrib.tensor_forest.client.model_fns import ALL_SERVING_KEY as ALL_SERVING_KEY
from dataflow.contrib.tensor_forest.client.model_fns import EPSILON as EPSILON
from dataflow.contrib.tensor_forest.client.model_fns import (
    TREE_PATHS_PREDICTION_KEY as TREE_PATHS_PREDICTION_KEY,
)
from dataflow.contrib.tensor_forest.client.model_fns import (
    VARIANCE_PREDICTION_KEY as VARIANCE_PREDICTION_KEY,
)
from dataflow.contrib.tensor_forest.client.model_fns import (
    ModelBuilderOutputType as ModelBuilderOutputType,
)
from dataflow.contrib.tensor_forest.client.model_fns import (
    get_combined_model_fn as get_combined_model_fn,
)
from dataflow.contrib.tensor_forest.client.model_fns import get_default_head as get_default_head
from dataflow.contrib.tensor_forest.client.model_fns import get_model_fn as get_model_fn

KEYS_NAME: _Final = "keys"
_get_default_head = get_default_head
