"""The systems that are compared. What survives what is said beside each number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from bench.measure import Say
from bench.places import Places, django_on
from bench.systems import Kind, Peer

PACKAGES = (
    *("procrastinate", "django-tasks-db", "django-q2", "celery", "django-celery-results", "huey"),
    *("psycopg", "redis"),
)
JOBS_PER_SLOT = 2
REUSES = 1_000_000
NO_REDIS = "no Redis answers at 127.0.0.1:6379: Celery and huey on Redis are left out"

ON_DISK = "survives a power cut"
OURS = f"results kept, {ON_DISK}; a crash of the worker fails the target in hand (`restart`)"
BARE = f"results kept, {ON_DISK}; a crash of the loop leaves the job `running`"
PROCRASTINATE = f"no results, {ON_DISK}; a crash of the worker leaves the task `doing`"
TASKS_DB = f"results kept, {ON_DISK}; a crash of the worker leaves the task `RUNNING` for ever"
DJANGO_Q = f"results kept, {ON_DISK}; after a crash the task is run again, a minute or two later"
CELERY = (
    f"results kept, {ON_DISK}; the queue is lost with Redis where that is not told to keep it, and"
    " the task in hand with the worker"
)
HUEY = (
    "results kept until Redis crashes, and so the queue; the task in hand is lost with the worker"
)
HUEY_SQLITE = "results kept; the task in hand is lost with the worker"


def runner(environment: dict[str, str], database: str = "", isolation: str = "thread") -> Kind:
    """Inside it is a thread anyway."""
    return Kind(
        name="runner",
        module="bench.ours",
        environment=environment,
        database=database,
        durable=OURS,
        worker=lambda slots: (
            *("-m", "django", "batch_worker", "--slots", str(slots)),
            *("--isolation", isolation),
        ),
        inside=1 if isolation == "thread" else 0,
        jobs=lambda count, slots: 1 if slots == 1 else JOBS_PER_SLOT * slots,
    )


def runners(places: Places) -> list[Kind]:
    """The runner on PostgreSQL in several ways; the first is the one that promises are about."""

    def on(database: str, isolation: str = "thread") -> Kind:
        return runner(django_on(places.postgresql(database)), database, isolation)

    return [
        on("ours"),
        replace(on("isolated", "process"), name="runner, child processes"),
        replace(
            on("small"), name="runner, jobs of one target", inside=0, jobs=lambda count, _: count
        ),
    ]


def bare(places: Places) -> Kind:
    environment = django_on(places.postgresql("bare"))
    module = "bench.peers.bare"
    return Kind("bare loop", module, environment, BARE, database="bare", inside=1)


def peers(places: Places) -> list[Kind]:
    """What else keeps tasks or their results in PostgreSQL, or in Redis."""
    found = [_procrastinate(places), _tasks_db(places), _django_q(places)]
    if places.redis:
        celery = _celery(places, places.redis, "celery")
        reusing = _celery(places, places.redis, "celery-reusing", BENCH_REUSE=str(REUSES))
        found += [celery, replace(reusing, name="Celery, reusing connections")]
        found.append(_huey(places.redis, "huey on Redis", HUEY))
    return found


def huey_on_sqlite(places: Places, name: str, **environment: str) -> Kind:
    kind = _huey(places.sqlite(name), "huey", HUEY_SQLITE)
    return replace(kind, environment={**kind.environment, **environment})


def _procrastinate(places: Places) -> Kind:
    module = "bench.peers.procrastinate_peer"
    return Kind(
        "procrastinate",
        module,
        {"BENCH_DATABASE": places.postgresql("procrastinate")},
        PROCRASTINATE,
        database="procrastinate",
        worker=lambda concurrency: ("-m", module, str(concurrency)),
        inside=8,
    )


def _settings(places: Places, database: str, **more: str) -> dict[str, str]:
    return {
        "BENCH_DATABASE": places.postgresql(database),
        "DJANGO_SETTINGS_MODULE": "bench.peers.settings",
        **more,
    }


def _tasks_db(places: Places) -> Kind:
    return Kind(
        "django-tasks-db",
        "bench.peers.django_tasks_db_peer",
        _settings(places, "tasks"),
        TASKS_DB,
        database="tasks",
        worker=lambda _: ("-m", "django", "db_worker", "--no-startup-delay", "--verbosity", "0"),
        inside=1,
        single=True,
        eager=("--interval", "0.02"),
    )


def _django_q(places: Places) -> Kind:
    return Kind(
        "django-q2",
        "bench.peers.django_q_peer",
        _settings(places, "django-q"),
        DJANGO_Q,
        database="django-q",
        worker=lambda _: ("-m", "django", "qcluster"),
    )


def _celery(places: Places, redis: str, name: str, **more: str) -> Kind:
    def worker(concurrency: int) -> tuple[str, ...]:
        # One at a time without a pool, and eight in the processes of its default pool.
        pool = "solo" if concurrency == 1 else "prefork"
        app = (
            "-W",
            "ignore",
            "-m",
            "celery",
            "-A",
            "bench.peers.celery_peer",
            "worker",
            "-l",
            "ERROR",
        )
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        return (*app, "--pool", pool, "--concurrency", str(concurrency), *quiet)

    environment = _settings(places, name, BENCH_BROKER=redis, BENCH_QUEUE=name, **more)
    module = "bench.peers.celery_peer"
    return Kind("Celery", module, environment, CELERY, database=name, worker=worker)


def _huey(place: str, name: str, durable: str) -> Kind:
    return Kind(
        name,
        "bench.peers.huey_peer",
        {"BENCH_DATABASE": place},
        durable,
        worker=lambda concurrency: (
            *("-m", "huey.bin.huey_consumer", "bench.peers.huey_peer.huey"),
            *("--workers", str(concurrency), "--no-periodic", "--quiet"),
        ),
        inside=8,
    )


@contextmanager
def up(kinds: list[Kind], places: Places, say: Say) -> Iterator[dict[str, Peer]]:
    """These systems, each in a process that is up."""
    if not places.redis:
        say(NO_REDIS)
    with ExitStack() as stack:
        yield {kind.name: Peer(kind, places, stack.enter_context(kind.start())) for kind in kinds}
