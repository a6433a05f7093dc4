"""A durable, strictly serial batch runner for Django: ``INSTALLED_APPS += ["batch"]``."""
