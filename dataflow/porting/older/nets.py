"""tf.nn before TensorFlow 1.0."""

import dataflow.library.rnn.static as _static
import dataflow.ops.nn.convolution_transpose as _transpose

bidirectional_rnn = _static.static_bidirectional_rnn
deconv2d = _transpose.conv2d_transpose
rnn = _static.static_rnn
state_saving_rnn = _static.static_state_saving_rnn
