"""Tests of the back end: plans, executor, rendezvous, devices, the direct runtime."""
