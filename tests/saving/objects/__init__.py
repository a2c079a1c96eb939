"""SavedModels as objects, exchanged with TensorFlow."""
