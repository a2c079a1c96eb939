"""Tests of estimators; TensorFlow 2 has none, so that numpy tells the truth."""
