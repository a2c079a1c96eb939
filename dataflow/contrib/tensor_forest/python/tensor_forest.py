"""tf.contrib.tensor_forest.python.tensor_forest: forests and their hyperparameters."""

from dataflow.contrib.tensor_forest.python.graphs import RandomForestGraphs as RandomForestGraphs
from dataflow.contrib.tensor_forest.python.graphs import TrainingLossForest as TrainingLossForest
from dataflow.contrib.tensor_forest.python.hyperparameters import (
    CLASSIFICATION_LEAF_MODEL_TYPES as CLASSIFICATION_LEAF_MODEL_TYPES,
)
from dataflow.contrib.tensor_forest.python.hyperparameters import FINISH_TYPES as FINISH_TYPES
from dataflow.contrib.tensor_forest.python.hyperparameters import PRUNING_TYPES as PRUNING_TYPES
from dataflow.contrib.tensor_forest.python.hyperparameters import (
    REGRESSION_MODEL_TYPE as REGRESSION_MODEL_TYPE,
)
from dataflow.contrib.tensor_forest.python.hyperparameters import SPLIT_TYPES as SPLIT_TYPES
from dataflow.contrib.tensor_forest.python.hyperparameters import ForestHParams as ForestHParams
from dataflow.contrib.tensor_forest.python.hyperparameters import (
    build_params_proto as build_params_proto,
)
from dataflow.contrib.tensor_forest.python.hyperparameters import (
    parse_number_or_string_to_proto as parse_number_or_string_to_proto,
)
from dataflow.contrib.tensor_forest.python.trees import RandomTreeGraphs as RandomTreeGraphs
from dataflow.contrib.tensor_forest.python.trees import get_epoch_variable as get_epoch_variable
from dataflow.contrib.tensor_forest.python.variables import ForestVariables as ForestVariables
from dataflow.contrib.tensor_forest.python.variables import TreeVariables as TreeVariables

ForestTrainingVariables = ForestVariables
TreeTrainingVariables = TreeVariables
