"""tf.contrib.cudnn_rnn: nets of several layers, with the weights that cuDNN's have."""

from dataflow.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell as CudnnCompatibleGRUCell
from dataflow.contrib.cudnn_rnn.cells import CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell
from dataflow.contrib.cudnn_rnn.layers import CudnnGRU as CudnnGRU
from dataflow.contrib.cudnn_rnn.layers import CudnnLSTM as CudnnLSTM
from dataflow.contrib.cudnn_rnn.layers import CudnnRNNRelu as CudnnRNNRelu
from dataflow.contrib.cudnn_rnn.layers import CudnnRNNTanh as CudnnRNNTanh
