"""As bench/settings.py, and no log but of errors: many workers would fill the terminal."""

from bench.settings import *  # noqa: F403

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": "ERROR"},
    "loggers": {"batch": {"level": "ERROR"}, "django": {"level": "ERROR"}},
}
