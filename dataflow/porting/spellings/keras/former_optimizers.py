"""tensorflow.python.keras.optimizers: optimizers by names in small letters."""

from dataflow.keras import optimizers

sgd = optimizers.SGD
rmsprop = optimizers.RMSprop
adagrad = optimizers.Adagrad
adadelta = optimizers.Adadelta
adam = optimizers.Adam
adamax = optimizers.Adamax
nadam = optimizers.Nadam
