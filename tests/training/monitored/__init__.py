"""Tests of monitored sessions and their hooks."""
