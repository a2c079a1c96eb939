"""Sessions on Ray: prepares steps at the master, runs them on the devices. Nothing imports it back.

A `LaneStep` sends each device its part and waits; the calling thread reads its own answers. The
first error wins and stops the others, a death fails the steps that need the task, and steps are
never repeated, so that no update is applied twice. Tasks that were started again are prepared for
anew on the next run.
"""
