"""Every code that the pipeline can give. docs/errors.md explains each."""

from __future__ import annotations

RETRYABLE = frozenset(
    {
        "dns_failed",
        "connect_refused",
        "connect_timeout",
        "timeout",
        "connection_lost",
        "rate_limited",
        "server_error",
    }
)
"""Errors after which the same request may succeed a little later."""

ERROR_CODES = RETRYABLE | frozenset(
    {
        "invalid_url",
        "unsupported_scheme",
        "blocked_address",
        "blocked_redirect",
        "dns_not_found",
        "tls_error",
        "bad_response",
        "too_large",
        "decompression_limit",
        "too_many_redirects",
        "bad_redirect",
        "access_denied",
        "not_found",
        "http_error",
        "robots_disallowed",
        "unsupported_type",
        "empty_content",
        "needs_javascript",
        "too_complex",
        "pdf_no_text",
        "pdf_encrypted",
        "pdf_broken",
        "page_out_of_range",
        "not_json",
        "jq_error",
        "jq_limit",
        "internal",
    }
)

OPTION_CODES = frozenset({"bad_mode", "bad_pages", "bad_regex", "bad_jq"})
"""Refusals of an option, at submit."""

GONE = frozenset({"not_found", "dns_not_found", "connect_refused", "connect_timeout", "tls_error"})
"""Errors that say that the live page is gone, so that an archive's copy may stand in."""

NO_COPY = frozenset(
    {"unsupported_type", "empty_content", "needs_javascript", "access_denied", "pdf_broken"}
)
"""Errors of an archive's copy that an older one may not have."""

WARNING_CODES = frozenset(
    {
        "main_content_not_found",
        "metadata_unreadable",
        "bad_characters",
        "encoding_mismatch",
        "undeclared_compression",
        "meta_refresh_ignored",
        "pages_ignored",
        "pages_beyond_end",
        "pages_without_text",
        "right_to_left_pdf",
        "broken_json",
        "json_constants",
        "number_precision",
        "no_output",
        "no_match",
        "context_ignored",
        "no_relevant_passage",
    }
)
