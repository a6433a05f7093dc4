"""URLs: what may be asked for. One parser, httpx2's, decides what the host is."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote, urljoin

import httpx2

from batch.errors import FetchError

from .errors import blocked, fail
from .limits import MAX_URL_CHARS

DEFAULT_PORTS = {"http": 80, "https": 443}
BLOCKED_NAMES = ("localhost", "local", "internal", "localdomain")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(?!\d)")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
# Only to choose between two errors for a URL that the parser refused.
_DIGITS_HOST = re.compile(r"[a-z]+://[\d.]+(?=[:/?#]|$)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\A[a-zA-Z][a-zA-Z0-9+.-]*://)[^/?#]*@")
_ANY_USERINFO = re.compile(
    r"(?<=//)[^/?#]*@"  # also of a URL within a URL
    r"|\A(?!mailto:)(?![a-z][a-z0-9+.-]*://)[^/?#\s]*:[^/?#]*@",  # without the slashes before it
    re.IGNORECASE,
)
_SLASH_IN_PASSWORD = re.compile(
    r"\A([a-z][a-z0-9+.-]*://)[^/?#@:\[]*:(?!\d*(?:[/?#]|\Z))[^?#]*@", re.IGNORECASE
)

INVALID_HINT = "give a full URL, such as https://example.com/page"


def parse_url(text: str) -> httpx2.URL:
    """The URL that a target names.

    Raises ``invalid_url``, ``unsupported_scheme`` or, for an encoded IPv4 address,
    ``blocked_address``.
    """
    text = text.strip(" ")
    if len(text) > MAX_URL_CHARS:
        raise _invalid(f"the URL is longer than {MAX_URL_CHARS} characters")
    if _CONTROL.search(text):
        raise _invalid("the URL holds a backslash or a control character")
    scheme = _SCHEME.match(text)
    if scheme is None:
        raise _invalid("the URL does not begin with http:// or https://")
    if scheme[1].lower() not in DEFAULT_PORTS:
        raise _unsupported(scheme[1].lower())
    if _AUTHORITY.search(text):
        raise _invalid("the URL carries a user name or a password", "remove the part before @")
    url = _parsed(text)
    if url.userinfo:
        raise _invalid("the URL carries a user name or a password", "remove the part before @")
    return url


def join_url(base: httpx2.URL, location: str) -> httpx2.URL:
    """Where a redirect leads. Credentials in it are dropped.

    Raises ``bad_redirect`` or ``unsupported_scheme``.
    """
    location = location.strip()
    if not location:
        raise bad_redirect("the server redirects without saying where to")
    try:
        if _CONTROL.search(location) or len(location) > MAX_URL_CHARS:
            raise ValueError
        joined = urljoin(str(base), location)
    except ValueError:
        raise _nowhere() from None
    scheme = joined.partition(":")[0].lower()
    if scheme not in DEFAULT_PORTS:
        raise _unsupported(scheme)
    try:
        return _parsed(_AUTHORITY.sub(r"\1", joined))
    except FetchError as error:
        raise (blocked(redirect=True) if error.code == "blocked_address" else _nowhere()) from None


def bad_redirect(message: str) -> Exception:
    return fail("bad_redirect", message, "open the URL in a browser and submit the final one")


def _nowhere() -> Exception:
    return bad_redirect("the server redirects to something that is not a URL")


def port_of(url: httpx2.URL) -> int:
    return url.port if url.port is not None else DEFAULT_PORTS[url.scheme]


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address, when the host is one."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_blocked_name(host: str) -> bool:
    """Whether a name stands for the inside, or for an address in disguise."""
    name = host.lower().removesuffix(".")
    last = name.rsplit(".", 1)[-1]
    return last in BLOCKED_NAMES or _NUMBER.fullmatch(last) is not None


def masked(text: str) -> str:
    """A URL, or what was meant for one, without its credentials: for messages, logs, results."""
    return _ANY_USERINFO.sub("", _SLASH_IN_PASSWORD.sub(r"\1", text))


def _parsed(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text)
        host = url.raw_host.decode("ascii")
        port = port_of(url)
    except Exception:  # ValueError, idna's and httpx2's own errors alike
        _refuse_digits(text)
        raise _invalid("the URL cannot be read") from None
    if not 0 <= port < 65536:
        raise _invalid("the URL's port is not a port number")
    if port == 0:
        raise blocked()  # httpcore2 would take it for the scheme's own port
    if literal_address(host) is None or "%" in host:
        labels = host.removesuffix(".").split(".")
        if len(host) > 253 or not all(map(_is_label, labels)):
            _refuse_digits(text)
            raise _invalid("the URL's host is not a valid name")
    return url


def _refuse_digits(text: str) -> None:
    """Tell an encoded IPv4 address apart from a host that is none."""
    if _DIGITS_HOST.match(unicodedata.normalize("NFKC", unquote(text))):
        raise blocked()


def _is_label(label: str) -> bool:
    if _LABEL.fullmatch(label) is None:
        return False
    if not label.startswith("xn--"):
        return True
    try:
        # Not IDNA's own check, which refuses hosts that exist, such as those made of emoji.
        return label[4:].encode("ascii").decode("punycode").isprintable()
    except UnicodeError:
        return False


def _invalid(message: str, hint: str = INVALID_HINT) -> Exception:
    return fail("invalid_url", message, hint)


def _unsupported(scheme: str) -> Exception:
    return fail(
        "unsupported_scheme",
        f"{scheme[:20]}: URLs are not fetched",
        "only http and https URLs are",
    )
