"""Tests of random ops."""
