"""tf.contrib.graph_editor: choosing, copying and reconnecting parts of graphs."""

from dataflow.contrib.graph_editor import lists as lists
from dataflow.contrib.graph_editor import reroute as reroute
from dataflow.contrib.graph_editor import select as select
from dataflow.contrib.graph_editor import subgraph as subgraph
from dataflow.contrib.graph_editor import transform as transform
from dataflow.contrib.graph_editor.edit import bypass as bypass
from dataflow.contrib.graph_editor.edit import connect as connect
from dataflow.contrib.graph_editor.edit import detach as detach
from dataflow.contrib.graph_editor.edit import detach_control_inputs as detach_control_inputs
from dataflow.contrib.graph_editor.edit import detach_control_outputs as detach_control_outputs
from dataflow.contrib.graph_editor.edit import detach_inputs as detach_inputs
from dataflow.contrib.graph_editor.edit import detach_outputs as detach_outputs
from dataflow.contrib.graph_editor.lists import ControlOutputs as ControlOutputs
from dataflow.contrib.graph_editor.lists import ListView as ListView
from dataflow.contrib.graph_editor.lists import concatenate_unique as concatenate_unique
from dataflow.contrib.graph_editor.lists import flatten_tree as flatten_tree
from dataflow.contrib.graph_editor.lists import get_consuming_ops as get_consuming_ops
from dataflow.contrib.graph_editor.lists import get_generating_ops as get_generating_ops
from dataflow.contrib.graph_editor.lists import get_tensors as get_tensors
from dataflow.contrib.graph_editor.lists import get_unique_graph as get_unique_graph
from dataflow.contrib.graph_editor.lists import is_iterable as is_iterable
from dataflow.contrib.graph_editor.lists import make_list_of_op as make_list_of_op
from dataflow.contrib.graph_editor.lists import make_list_of_t as make_list_of_t
from dataflow.contrib.graph_editor.lists import (
    make_placeholder_from_dtype_and_shape as make_placeholder_from_dtype_and_shape,
)
from dataflow.contrib.graph_editor.lists import (
    make_placeholder_from_tensor as make_placeholder_from_tensor,
)
from dataflow.contrib.graph_editor.lists import placeholder_name as placeholder_name
from dataflow.contrib.graph_editor.lists import scope_finalize as scope_finalize
from dataflow.contrib.graph_editor.lists import transform_tree as transform_tree
from dataflow.contrib.graph_editor.reroute import add_control_inputs as add_control_inputs
from dataflow.contrib.graph_editor.reroute import remove_control_inputs as remove_control_inputs
from dataflow.contrib.graph_editor.reroute import reroute_inputs as reroute_inputs
from dataflow.contrib.graph_editor.reroute import reroute_ios as reroute_ios
from dataflow.contrib.graph_editor.reroute import reroute_outputs as reroute_outputs
from dataflow.contrib.graph_editor.reroute import reroute_ts as reroute_ts
from dataflow.contrib.graph_editor.reroute import swap_inputs as swap_inputs
from dataflow.contrib.graph_editor.reroute import swap_ios as swap_ios
from dataflow.contrib.graph_editor.reroute import swap_outputs as swap_outputs
from dataflow.contrib.graph_editor.reroute import swap_ts as swap_ts
from dataflow.contrib.graph_editor.select import can_be_regex as can_be_regex
from dataflow.contrib.graph_editor.select import check_cios as check_cios
from dataflow.contrib.graph_editor.select import compute_boundary_ts as compute_boundary_ts
from dataflow.contrib.graph_editor.select import filter_ops as filter_ops
from dataflow.contrib.graph_editor.select import filter_ops_from_regex as filter_ops_from_regex
from dataflow.contrib.graph_editor.select import filter_ts as filter_ts
from dataflow.contrib.graph_editor.select import filter_ts_from_regex as filter_ts_from_regex
from dataflow.contrib.graph_editor.select import get_backward_walk_ops as get_backward_walk_ops
from dataflow.contrib.graph_editor.select import get_forward_walk_ops as get_forward_walk_ops
from dataflow.contrib.graph_editor.select import get_name_scope_ops as get_name_scope_ops
from dataflow.contrib.graph_editor.select import get_ops_ios as get_ops_ios
from dataflow.contrib.graph_editor.select import (
    get_walks_intersection_ops as get_walks_intersection_ops,
)
from dataflow.contrib.graph_editor.select import get_walks_union_ops as get_walks_union_ops
from dataflow.contrib.graph_editor.select import get_within_boundary_ops as get_within_boundary_ops
from dataflow.contrib.graph_editor.select import get_within_boundary_ts as get_within_boundary_ts
from dataflow.contrib.graph_editor.select import make_regex as make_regex
from dataflow.contrib.graph_editor.select import select_ops as select_ops
from dataflow.contrib.graph_editor.select import select_ops_and_ts as select_ops_and_ts
from dataflow.contrib.graph_editor.select import select_ts as select_ts
from dataflow.contrib.graph_editor.subgraph import SubGraphView as SubGraphView
from dataflow.contrib.graph_editor.subgraph import make_view as make_view
from dataflow.contrib.graph_editor.subgraph import make_view_from_scope as make_view_from_scope
from dataflow.contrib.graph_editor.transform import Transformer as Transformer
from dataflow.contrib.graph_editor.transform import TransformerInfo as TransformerInfo
from dataflow.contrib.graph_editor.transform import (
    assign_renamed_collections_handler as assign_renamed_collections_handler,
)
from dataflow.contrib.graph_editor.transform import copy as copy
from dataflow.contrib.graph_editor.transform import (
    copy_op_handler as copy_op_handler,
)
from dataflow.contrib.graph_editor.transform import (
    copy_with_input_replacements as copy_with_input_replacements,
)
from dataflow.contrib.graph_editor.transform import graph_replace as graph_replace
from dataflow.contrib.graph_editor.transform import (
    keep_t_if_possible_handler as keep_t_if_possible_handler,
)
from dataflow.contrib.graph_editor.transform import (
    replace_t_with_placeholder_handler as replace_t_with_placeholder_handler,
)
from dataflow.contrib.graph_editor.transform import (
    transform_op_if_inside_handler as transform_op_if_inside_handler,
)

util = lists
ph = make_placeholder_from_dtype_and_shape
sgv = make_view
sgv_scope = make_view_from_scope
