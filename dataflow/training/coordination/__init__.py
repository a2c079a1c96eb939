"""Threads that run steps side by side: who stops them, and who fills queues."""
