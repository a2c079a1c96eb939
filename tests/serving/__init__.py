"""Tests of servers, with TensorFlow's SavedModels and TensorFlow Serving's clients."""
