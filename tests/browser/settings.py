"""The project's own settings, with the tests' site within reach of the fetch."""

import os

from sift_batch.settings import *  # noqa: F403
from sift_batch.settings import BATCH as SHIPPED
from sift_batch.settings import REST_FRAMEWORK as REST

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tests submit with a password, where a browser is not what they are about.
REST_FRAMEWORK = {
    **REST,
    "DEFAULT_AUTHENTICATION_CLASSES": [
        *REST["DEFAULT_AUTHENTICATION_CLASSES"],
        "rest_framework.authentication.BasicAuthentication",
    ],
}
# The same member of staff submits for every test.
BATCH = {**SHIPPED, "JOBS_PER_CALLER": 100, "JOBS_TOTAL": 100}
SIFT_FETCH = {
    "ALLOWED_NETWORKS": ["127.0.0.0/8"],
    "ALLOWED_PORTS": [int(os.environ["TEST_SITE_PORT"])],
}
