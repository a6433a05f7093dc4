"""How callers of the API show who they are."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from sift_batch.tokens.models import Token


class BearerAuthentication(TokenAuthentication):
    """``Authorization: Bearer ...``.

    It stands first in the settings, so that someone unknown is answered 401 with
    WWW-Authenticate; behind a session the answer would be 403.
    """

    def authenticate_credentials(self, token: bytes) -> tuple[AbstractBaseUser, Token]:
        # No database can be asked for just any bytes.
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        found: tuple[AbstractBaseUser, Token]
        found = super().authenticate_credentials(token)  # type: ignore[no-untyped-call]
        return found
