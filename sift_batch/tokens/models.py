"""A token: what is left of it here when its owner has read it."""

from __future__ import annotations

from django.db import models
from knox.models import AbstractAuthToken

SHOWN_CHARS = 8


class Token(AbstractAuthToken):
    """One of a user's tokens. ``digest`` is its SHA-512; ``token_key``, its first characters,
    finds the row."""

    # A digest does not belong in addresses, so it is not the key, as knox would have it.
    digest = models.CharField(max_length=128, unique=True, editable=False)
    name = models.CharField(max_length=100, blank=True, help_text="who or what uses it")
    expiry = models.DateTimeField(
        "expires", null=True, blank=True, help_text="in UTC; empty: it lasts until it is deleted"
    )

    class Meta:
        verbose_name = "token"
        ordering = ["-created", "-id"]
        # None to change one: whoever uses it would not know.
        default_permissions = ["add", "view", "delete"]

    def __str__(self) -> str:
        return f"{self.prefix} ({self.name})" if self.name else self.prefix

    @property
    def prefix(self) -> str:
        """As much of it as helps its owner to tell which one it is."""
        return f"{self.token_key[:SHOWN_CHARS]}…"
