"""How callers of the API show who they are."""

from rest_framework.authentication import TokenAuthentication


class BearerAuthentication(TokenAuthentication):
    """DRF's stored tokens under the scheme that HTTP clients know: `Authorization: Bearer ...`.

    It stands first in the settings, so that someone unknown is answered 401 with
    WWW-Authenticate; behind a session the answer would be 403.
    """

    keyword = "Bearer"
