"""What tensorflow.python.keras.layers has beside its layers, for programs that ask for it."""
