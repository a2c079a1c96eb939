"""tf.contrib.rnn: cells and nets of tf.nn by their names here."""

from dataflow.library.rnn.basic import BasicRNNCell as BasicRNNCell
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
