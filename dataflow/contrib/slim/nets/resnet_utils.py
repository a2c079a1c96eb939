"""slim.nets.resnet_utils: what residual nets are made of."""

from dataflow.contrib.slim.nets.resnet_units import Block as Block
from dataflow.contrib.slim.nets.resnet_units import conv2d_same as conv2d_same
from dataflow.contrib.slim.nets.resnet_units import resnet_arg_scope as resnet_arg_scope
from dataflow.contrib.slim.nets.resnet_units import stack_blocks_dense as stack_blocks_dense
from dataflow.contrib.slim.nets.resnet_units import subsample as subsample
