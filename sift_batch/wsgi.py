"""What a WSGI server such as gunicorn loads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sift_batch.settings")

application = get_wsgi_application()
