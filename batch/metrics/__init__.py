"""Metrics for Prometheus, by prometheus-client, where the host has installed it.

``view``: what the rows say, the same whichever process is asked. ``events``: what happens in this
process, as the signals tell it. Nothing here is imported unless it is asked for.
"""
