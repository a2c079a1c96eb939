"""Operators that the survey times, by what they do."""
