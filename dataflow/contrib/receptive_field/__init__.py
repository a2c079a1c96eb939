"""tf.contrib.receptive_field: how much of the input of a net each of its outputs sees."""

from dataflow.contrib.receptive_field.compute_order import get_compute_order as get_compute_order
from dataflow.contrib.receptive_field.fields import (
    compute_receptive_field_from_graph_def as compute_receptive_field_from_graph_def,
)
