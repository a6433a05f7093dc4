"""System checks: what ``manage.py check`` says, each with an id and a hint.

They only gather; the rules of the keys are in :mod:`batch.conf`.
"""

from batch.checks.databases import ask_database, check_database
from batch.checks.settings import check_settings

__all__ = ["ask_database", "check_database", "check_settings"]
