"""tf.distribute: the server of a task, under TensorFlow's newer name."""

from dataflow.session.server import Server as Server
