"""Tests that run the examples as a user does."""
