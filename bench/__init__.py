"""Measures the runner against other runners, and against the limits it promises.

``python -m bench`` runs everything and prints a table; ``--quick`` is a short version,
``--write`` renews the numbers in docs/performance.md.
"""
