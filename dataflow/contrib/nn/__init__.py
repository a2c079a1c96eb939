"""tf.contrib.nn: dropout for self-normalizing nets, and others of tf.nn's by older names."""

from dataflow.contrib.nn.alpha_dropout import alpha_dropout as alpha_dropout
