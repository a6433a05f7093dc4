"""The seven options as fields of a form, each with what it does."""

from __future__ import annotations

from django import forms

MODES = (
    ("", "as the fetch chooses"),
    ("auto", "auto: by type"),
    ("article", "article: the main content alone"),
    ("full", "full: everything the page shows"),
    ("text", "text: without marks and link targets"),
    ("raw", "raw: the decoded body, untouched"),
)
OPTIONS = ("mode", "question", "pages", "grep", "jq", "context", "recover")


class OptionsForm(forms.Form):
    mode = forms.ChoiceField(
        required=False, choices=MODES, help_text="How a page becomes text. raw is not for PDFs."
    )
    question = forms.CharField(
        required=False,
        widget=forms.TextInput({"class": "vTextField"}),
        help_text="A sentence. Only the passages that have to do with it are kept.",
    )
    pages = forms.CharField(
        required=False,
        help_text="Which pages of a PDF, counted from 1: 3, or 1-5, or 8-, or 1,4-6.",
    )
    grep = forms.CharField(
        required=False,
        strip=False,
        widget=forms.TextInput({"class": "vTextField", "spellcheck": "false"}),
        help_text="An RE2 pattern. Only the lines that match are kept.",
    )
    jq = forms.CharField(
        label="jq",
        required=False,
        strip=False,
        widget=forms.TextInput({"class": "vTextField", "spellcheck": "false"}),
        help_text="A jq program, which selects from JSON.",
    )
    context = forms.BooleanField(
        required=False, help_text="With grep: keep two lines around each match."
    )
    recover = forms.BooleanField(
        required=False, help_text="Take an archived copy when the page is gone."
    )
