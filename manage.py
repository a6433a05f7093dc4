#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sift_batch.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # Says what to do; a traceback above it would only hide that.
        sys.exit(f"{type(error).__name__}: {error}")
