"""tf.contrib.rnn: cells and nets of tf.nn, and those that were here only."""

import dataflow.contrib.rnn.block_gradients as _block_gradients  # noqa: F401
from dataflow.contrib.rnn.attention_cell import AttentionCellWrapper as AttentionCellWrapper
from dataflow.contrib.rnn.block import GRUBlockCell as GRUBlockCell
from dataflow.contrib.rnn.block import GRUBlockCellV2 as GRUBlockCellV2
from dataflow.contrib.rnn.block import LSTMBlockCell as LSTMBlockCell
from dataflow.contrib.rnn.block_fused import LSTMBlockFusedCell as LSTMBlockFusedCell
from dataflow.contrib.rnn.block_fused import LSTMBlockWrapper as LSTMBlockWrapper
from dataflow.contrib.rnn.calm import CFNCell as CFNCell
from dataflow.contrib.rnn.calm import MinimalRNNCell as MinimalRNNCell
from dataflow.contrib.rnn.conv_lstm import Conv1DLSTMCell as Conv1DLSTMCell
from dataflow.contrib.rnn.conv_lstm import Conv2DLSTMCell as Conv2DLSTMCell
from dataflow.contrib.rnn.conv_lstm import Conv3DLSTMCell as Conv3DLSTMCell
from dataflow.contrib.rnn.conv_lstm import ConvLSTMCell as ConvLSTMCell
from dataflow.contrib.rnn.coupled import (
    CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell,
)
from dataflow.contrib.rnn.fused import FusedRNNCell as FusedRNNCell
from dataflow.contrib.rnn.fused import FusedRNNCellAdaptor as FusedRNNCellAdaptor
from dataflow.contrib.rnn.fused import TimeReversedFusedRNN as TimeReversedFusedRNN
from dataflow.contrib.rnn.gated import IntersectionRNNCell as IntersectionRNNCell
from dataflow.contrib.rnn.gated import SRUCell as SRUCell
from dataflow.contrib.rnn.gated import UGRNNCell as UGRNNCell
from dataflow.contrib.rnn.grid import BidirectionalGridLSTMCell as BidirectionalGridLSTMCell
from dataflow.contrib.rnn.grid import GridLSTMCell as GridLSTMCell
from dataflow.contrib.rnn.group import GLSTMCell as GLSTMCell
from dataflow.contrib.rnn.independent import IndRNNCell as IndRNNCell
from dataflow.contrib.rnn.independent import IndyGRUCell as IndyGRUCell
from dataflow.contrib.rnn.independent import IndyLSTMCell as IndyLSTMCell
from dataflow.contrib.rnn.nas import NASCell as NASCell
from dataflow.contrib.rnn.nets import best_effort_input_batch_size as best_effort_input_batch_size
from dataflow.contrib.rnn.nets import (
    stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn,
)
from dataflow.contrib.rnn.nets import stack_bidirectional_rnn as stack_bidirectional_rnn
from dataflow.contrib.rnn.nets import transpose_batch_time as transpose_batch_time
from dataflow.contrib.rnn.normalized import LayerNormBasicLSTMCell as LayerNormBasicLSTMCell
from dataflow.contrib.rnn.normalized import LayerNormLSTMCell as LayerNormLSTMCell
from dataflow.contrib.rnn.normalized import WeightNormLSTMCell as WeightNormLSTMCell
from dataflow.contrib.rnn.phased import PhasedLSTMCell as PhasedLSTMCell
from dataflow.contrib.rnn.time_freq import TimeFreqLSTMCell as TimeFreqLSTMCell
from dataflow.contrib.rnn.turing import NTMCell as NTMCell
from dataflow.contrib.rnn.turing import NTMControllerState as NTMControllerState
from dataflow.contrib.rnn.wrapping import CompiledWrapper as CompiledWrapper
from dataflow.contrib.rnn.wrapping import EmbeddingWrapper as EmbeddingWrapper
from dataflow.contrib.rnn.wrapping import HighwayWrapper as HighwayWrapper
from dataflow.contrib.rnn.wrapping import InputProjectionWrapper as InputProjectionWrapper
from dataflow.contrib.rnn.wrapping import OutputProjectionWrapper as OutputProjectionWrapper
from dataflow.library.rnn.basic import BasicRNNCell as BasicRNNCell
from dataflow.library.rnn.cell import LayerRNNCell as LayerRNNCell
from dataflow.library.rnn.cell import RNNCell as RNNCell
from dataflow.library.rnn.dropout import DropoutWrapper as DropoutWrapper
from dataflow.library.rnn.gru import GRUCell as GRUCell
from dataflow.library.rnn.lstm import BasicLSTMCell as BasicLSTMCell
from dataflow.library.rnn.lstm import LSTMCell as LSTMCell
from dataflow.library.rnn.lstm import LSTMStateTuple as LSTMStateTuple
from dataflow.library.rnn.multi import MultiRNNCell as MultiRNNCell
from dataflow.library.rnn.static import static_bidirectional_rnn as static_bidirectional_rnn
from dataflow.library.rnn.static import static_rnn as static_rnn
from dataflow.library.rnn.static import static_state_saving_rnn as static_state_saving_rnn
from dataflow.library.rnn.wrappers import DeviceWrapper as DeviceWrapper
from dataflow.library.rnn.wrappers import ResidualWrapper as ResidualWrapper
