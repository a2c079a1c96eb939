"""Actors as a whole: placed, started, watched, started again, stopped. Knows nothing of steps.

Lone "ray" sessions of one process with equal device counts and thread options share their actors
while one of them is open; the last close ends them, and Ray too if we started it. The tasks of a
server find each other by name: a hash of the cluster spec. With `max_restarts` a dead task or its
master is started again under new incarnations, which each client keeps book of (`tasks`). The
restarts are ours, since Ray's own tell callers of a death after 1.4 s instead of 0.3 s, and give
both lives of an actor one handle. If Ray itself is over for this process, all its sessions and
servers end (`head_watch`).
"""
