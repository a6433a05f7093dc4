"""Where tokens are made and revoked. A token itself is on one page, once: the answer to the form
that made it. It is in no message, since those are kept in a cookie or the database until read.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from knox.models import get_digest_token
from knox.settings import CONSTANTS

from sift_batch.tokens.models import Token


class TokenForm(forms.ModelForm):
    class Meta:
        # One labelled field, rather than two of which neither has a label of its own.
        field_classes = {"expiry": forms.DateTimeField}
        widgets = {"expiry": forms.DateTimeInput(attrs={"type": "datetime-local"})}

    def clean_expiry(self) -> datetime | None:
        expiry: datetime | None = self.cleaned_data["expiry"]
        if expiry and expiry <= timezone.now():
            raise ValidationError("This moment has passed already.")
        return expiry


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):
    form = TokenForm
    readonly_fields = ("prefix", "created")
    list_display = ("prefix", "name", "user", "created", "expiry")
    list_select_related = ("user",)
    search_fields = ("name", "token_key__startswith")

    def has_change_permission(self, request: HttpRequest, obj: Token | None = None) -> bool:
        return False

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> forms.ModelChoiceField | None:
        # A token is as good as its user's password: nobody gets more rights by making one.
        users = get_user_model()._default_manager.all()
        if not request.user.is_superuser:
            users = users.filter(is_superuser=False)
        # By login, which is quicker to type than to find among thousands.
        return forms.ModelChoiceField(
            users,
            to_field_name=get_user_model().USERNAME_FIELD,
            widget=forms.TextInput,
            help_text="login of the user as whom it is used",
            error_messages={"invalid_choice": "There is no such user for whom you may make one."},
        )

    def get_fields(self, request: HttpRequest, obj: Token | None = None) -> tuple[str, ...]:
        asked = ("user", "name", "expiry")
        return ("prefix", *asked, "created") if obj else asked

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.digest, obj.secret = get_digest_token()  # type: ignore[no-untyped-call]
        obj.token_key = obj.secret[: CONSTANTS.TOKEN_KEY_LENGTH]
        super().save_model(request, obj, form, change)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        shown = {
            **self.admin_site.each_context(request),
            "title": "The new token",
            "opts": self.opts,
            "token": obj,
            "has_view_permission": self.has_view_permission(request),
        }
        return TemplateResponse(request, "admin/tokens/token/made.html", shown)
