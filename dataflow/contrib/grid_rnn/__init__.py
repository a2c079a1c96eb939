"""tf.contrib.grid_rnn: recurrent cells on a grid of several dimensions."""

from dataflow.contrib.grid_rnn.cell import GridRNNCell as GridRNNCell
from dataflow.contrib.grid_rnn.ready import Grid1BasicLSTMCell as Grid1BasicLSTMCell
from dataflow.contrib.grid_rnn.ready import Grid1BasicRNNCell as Grid1BasicRNNCell
from dataflow.contrib.grid_rnn.ready import Grid1LSTMCell as Grid1LSTMCell
from dataflow.contrib.grid_rnn.ready import Grid2BasicLSTMCell as Grid2BasicLSTMCell
from dataflow.contrib.grid_rnn.ready import Grid2BasicRNNCell as Grid2BasicRNNCell
from dataflow.contrib.grid_rnn.ready import Grid2GRUCell as Grid2GRUCell
from dataflow.contrib.grid_rnn.ready import Grid2LSTMCell as Grid2LSTMCell
from dataflow.contrib.grid_rnn.ready import Grid3LSTMCell as Grid3LSTMCell
