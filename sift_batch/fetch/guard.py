"""The guard: what a connection may lead to.

A name is looked up once, every answer is judged, and the connection goes to an address that
was judged, never to a name. It sits under httpx2 as its network backend, so pages, redirects,
robots.txt and the archive all pass it.
"""

from __future__ import annotations

import functools
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, TypeVar

import httpcore2
import ssrfguard

from .address import is_blocked_name, literal_address
from .clock import Clock
from .errors import blocked, fail
from .limits import MAX_ADDRESSES, NEXT_ADDRESS_SECONDS
from .steps import step
from .stream import GuardedStream

if TYPE_CHECKING:
    from .config import FetchConfig

_T = TypeVar("_T")

_NEVER = tuple(
    ip_network(cidr)
    for cidr in (
        "2002::/16",  # 6to4: packets end at the IPv4 address inside
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated (SIIT)
        "168.63.129.16/32",  # Azure's host agent, a public address that answers from inside
    )
)
_UNKNOWN_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME), None)
_NAT64 = ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ip_network("2000::/3")
_TRANSLATED = ssrfguard.Reach.TRANSLATED
_TABLE = ssrfguard.AddressTable(
    # An allow rule for a translation prefix is judged below, by the address inside it.
    tuple(
        ssrfguard.Block(b.network, b.name, b.rfc, ssrfguard.Reach.DENIED)
        if b.reach is _TRANSLATED
        else b
        for b in ssrfguard.DEFAULT_DENIED.blocks
    )
)


class GuardPolicy(ssrfguard.Policy):
    """ssrfguard's table, with the holes closed that matter here."""

    @classmethod
    def of(cls, config: FetchConfig) -> GuardPolicy:
        """Raises ``ValueError`` for a network that cannot be read."""
        return _policy(tuple(config.allowed_networks), tuple(config.allowed_ports))

    def check_address(self, address: str | IPv4Address | IPv6Address) -> None:
        """Raise ``ssrfguard.BlockedAddressError`` for an address that may not be asked."""
        ip = ip_address(address) if isinstance(address, str) else address
        if any(ip in network for network in _NEVER):
            raise ssrfguard.BlockedAddressError(str(ip), "never fetched")
        if isinstance(ip, IPv6Address) and not any(ip in n for n in self.allowed_networks):
            if ip not in _GLOBAL_UNICAST:
                raise ssrfguard.BlockedAddressError(str(ip), "not global unicast")
        elif isinstance(ip, IPv6Address) and ip in _NAT64:
            self.check_address(IPv4Address(int(ip) & 0xFFFFFFFF))
        super().check_address(ip)


@functools.lru_cache(maxsize=4)  # it is the same for each request, and checks itself at length
def _policy(networks: tuple[str, ...], ports: tuple[int, ...]) -> GuardPolicy:
    return GuardPolicy(
        allowed_networks=tuple(ip_network(cidr) for cidr in networks),
        allowed_ports=frozenset(ports),
        denied_networks=_TABLE,
    )


class Guard(httpcore2.NetworkBackend):
    """Connects for one target: by its policy, and within its clock."""

    def __init__(self, config: FetchConfig, clock: Clock) -> None:
        self._policy = GuardPolicy.of(config)
        self._resolver = config.resolver
        self._connect_seconds = config.connect_seconds
        self._clock = clock
        self.last: GuardedStream | None = None

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """A stream to a judged address of ``host``. Raises :class:`FetchError`."""
        if port not in self._policy.allowed_ports:
            raise blocked()
        limit = Clock(self._clock.bounded(self._connect_seconds))
        try:
            addresses = self._addresses(host, port, limit)
            step("guarded", host=host, port=port, allowed_addresses=len(addresses))
            sock = self._connected(addresses, limit)
        except ssrfguard.BlockedAddressError:
            raise blocked() from None
        step("connected", host=host)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.last = GuardedStream(sock, self._clock, self._connect_seconds)
        return self.last

    def _addresses(self, host: str, port: int, limit: Clock) -> tuple[ssrfguard.Address, ...]:
        literal = literal_address(host)
        if literal is None and is_blocked_name(host):
            raise blocked()
        target = ssrfguard.Target("http", host, port, host, literal)
        lookup = self._lookup if literal is None else _numeric

        def resolve() -> tuple[ssrfguard.Address, ...]:
            return ssrfguard.resolve(target, policy=self._policy, resolver=lookup)

        try:
            # What is an address already is not looked up, so nothing can hang.
            return resolve() if literal else _abandonable(resolve, limit.remaining())
        except TimeoutError:
            raise fail(
                "dns_failed", "the name look-up did not answer in time", "try again later"
            ) from None
        except (socket.gaierror, LookupError) as bad:
            if getattr(bad, "errno", None) in _UNKNOWN_NAME:
                raise fail(
                    "dns_not_found",
                    "the URL's host name does not exist",
                    "check the spelling of the host name",
                ) from None
            raise fail("dns_failed", "the name look-up failed", "try again later") from None
        except (ValueError, OSError):
            raise fail("dns_failed", "the name look-up failed", "try again later") from None

    def _lookup(self, host: str, port: int, *hints: int) -> list[Any]:
        if self._resolver is None:
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        answers = [info for text in self._resolver(host) or () for info in _numeric(text, port)]
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "no answer")
        return answers

    def _connected(self, addresses: tuple[ssrfguard.Address, ...], limit: Clock) -> socket.socket:
        tried = addresses[:MAX_ADDRESSES]
        timed_out = False
        for left, address in zip(range(len(tried) - 1, -1, -1), tried, strict=True):
            seconds = limit.remaining()
            if left:
                seconds = min(seconds, NEXT_ADDRESS_SECONDS)
            try:
                return ssrfguard.connect(
                    [address], policy=self._policy, timeout=max(seconds, 0.001)
                )
            except TimeoutError:
                timed_out = True
            except OSError:
                continue
        self._clock.check()
        if timed_out:
            raise fail("connect_timeout", "the server does not answer", "try again later")
        raise fail(
            "connect_refused",
            "the server accepts no connection",
            "check the host and the port, or try again later",
        )


def _numeric(host: str, port: int, *hints: int) -> list[Any]:
    """The answer of a look-up for what is an address already."""
    if isinstance(ip_address(host), IPv4Address):
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, port))]
    return [(socket.AF_INET6, socket.SOCK_STREAM, 0, "", (host, port, 0, 0))]


def _abandonable(work: Callable[[], _T], seconds: float) -> _T:
    """Run ``work`` in a thread that is left behind when it takes too long.

    The system's name look-up has no timeout of its own.
    """
    done: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((True, work()))
        except BaseException as error:
            done.put((False, error))

    threading.Thread(target=run, name="look-up", daemon=True).start()
    try:
        good, value = done.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise TimeoutError from None
    if good:
        return value  # type: ignore[no-any-return]
    raise value


@functools.lru_cache(maxsize=4)  # reading a trust store takes longer than a fetch
def tls_context(ca_file: str) -> ssl.SSLContext:
    """The system's trust store, and a private authority where the operator named one."""
    context = httpcore2.default_ssl_context()
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context
