"""Tests of hashes of texts."""
