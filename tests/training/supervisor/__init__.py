"""Tests of supervisors."""
