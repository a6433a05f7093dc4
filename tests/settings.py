"""The project's settings, on the test database, with nothing of the host's in `BATCH`."""

import json
import os

os.environ.setdefault("SECRET_KEY", "only-for-tests")

from sift_batch.settings import *  # noqa: F403
from tests.databases import ALIAS, WITH, databases

DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
DATABASES = databases()
if ALIAS != "default":
    DATABASE_ROUTERS = ["tests.databases.Router"]
if "local-times" in WITH:
    USE_TZ = False
    TIME_ZONE = "Asia/Kolkata"
    SILENCED_SYSTEM_CHECKS = ["batch.W002"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# The app is tested by itself; a command that a test starts is given its settings this way.
BATCH = json.loads(os.environ.get("TEST_BATCH", "{}"))
