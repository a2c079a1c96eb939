"""tf.keras as far as graphs of TensorFlow 1 touch it: layers, initializers and plain functions.

Models, their optimizers, losses and metrics are not here; the names of layers are those of
`tf.layers`, and make their variables as these do."""
