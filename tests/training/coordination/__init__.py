"""Tests of threads that run steps side by side."""
