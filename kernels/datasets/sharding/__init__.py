"""Pipelines that are divided among workers, by their files or by their elements."""
