"""The ops of what leaves count as functions."""

from dataflow.graph.op_functions import function_of

create_fertile_stats_variable = function_of("CreateFertileStatsVariable")
fertile_stats_deserialize = function_of("FertileStatsDeserialize")
fertile_stats_is_initialized_op = function_of("FertileStatsIsInitializedOp")
fertile_stats_resource_handle_op = function_of("FertileStatsResourceHandleOp")
fertile_stats_serialize = function_of("FertileStatsSerialize")
finalize_tree = function_of("FinalizeTree")
grow_tree_v4 = function_of("GrowTreeV4")
process_input_v4 = function_of("ProcessInputV4")
