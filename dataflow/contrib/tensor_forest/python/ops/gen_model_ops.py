"""The ops of trees as functions."""

from dataflow.graph.op_functions import function_of

create_tree_variable = function_of("CreateTreeVariable")
decision_tree_resource_handle_op = function_of("DecisionTreeResourceHandleOp")
feature_usage_counts = function_of("FeatureUsageCounts")
traverse_tree_v4 = function_of("TraverseTreeV4")
tree_deserialize = function_of("TreeDeserialize")
tree_is_initialized_op = function_of("TreeIsInitializedOp")
tree_predictions_v4 = function_of("TreePredictionsV4")
tree_serialize = function_of("TreeSerialize")
tree_size = function_of("TreeSize")
update_model_v4 = function_of("UpdateModelV4")
