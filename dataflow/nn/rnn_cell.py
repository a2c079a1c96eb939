"""tf.nn.rnn_cell: what recurrent nets compute in one step."""

from dataflow.library.rnn.basic import BasicRNNCell as BasicRNNCell
from dataflow.library.rnn.cell import RNNCell as RNNCell
from dataflow.library.rnn.dropout import DropoutWrapper as DropoutWrapper
from dataflow.library.rnn.gru import GRUCell as GRUCell
from dataflow.library.rnn.lstm import BasicLSTMCell as BasicLSTMCell
from dataflow.library.rnn.lstm import LSTMCell as LSTMCell
from dataflow.library.rnn.lstm import LSTMStateTuple as LSTMStateTuple
from dataflow.library.rnn.multi import MultiRNNCell as MultiRNNCell
from dataflow.library.rnn.wrappers import DeviceWrapper as DeviceWrapper
from dataflow.library.rnn.wrappers import ResidualWrapper as ResidualWrapper
