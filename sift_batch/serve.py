"""``python -m sift_batch.serve``: web server and worker together, for this machine.

It migrates the database, makes an account for the admin, and runs gunicorn and ``batch_worker``
until it is told to stop or one of them ends. Both are processes of their own, ended by their
ids. Where others are served, the two are started each by itself: docs/operations.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sift_batch.demo.children import (
    GRACE_SECONDS,
    HOST,
    KILL_AFTER_SECONDS,
    LOOK_SECONDS,
    CannotServe,
    Child,
    listen,
    start_web,
    start_worker,
    wait_for_web,
)

PORT = 8000
USERNAME = "admin"
SECRET_FILE = Path(".run") / "secret-key"


def set_up_django(env: Mapping[str, str]) -> None:
    """This process gets ``env`` and its settings, and the database its tables."""
    os.environ.update(env)
    try:
        _migrate()
    except ImportError as error:
        raise CannotServe(f"{error}: install what requirements.txt lists, or use make") from error
    except ValueError as error:  # of a DATABASE_URL that is none
        raise CannotServe(f"the settings cannot be used: {' '.join(str(error).split())}") from error


def _migrate() -> None:
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command
    from django.db import Error

    try:
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
    except ImproperlyConfigured as error:
        raise CannotServe(" ".join(str(error).split())) from error
    except Error as error:
        said = " ".join(str(error).split())
        raise CannotServe(f"the database does not answer: {said}") from error


def make_account(username: str, *, staff: bool, new_password: bool = False) -> str:
    """The password of a user, who is made if there is none of that name.

    It is empty where none was set: a caller of the API needs none, and that of an account made
    before is known to its owner alone.
    """
    from django.contrib.auth import get_user_model
    from django.utils.crypto import get_random_string

    user, made = get_user_model().objects.get_or_create(
        username=username, defaults={"is_staff": staff, "is_superuser": staff}
    )
    password = ""
    if made or new_password:
        password = get_random_string(16) if staff else ""
        user.set_password(password or None)
        user.save(update_fields=["password"])
    return password


def make_token(username: str) -> str:
    """A token of the user's for the API. It is empty where there is one already, which can be
    shown to nobody."""
    from django.contrib.auth import get_user_model

    from sift_batch.tokens.models import Token

    user = get_user_model().objects.get(username=username)
    if Token.objects.filter(user=user).exists():
        return ""
    _, secret = Token.objects.create(  # type: ignore[no-untyped-call]
        user, name="made at the start"
    )
    return str(secret)


def _environment() -> dict[str, str]:
    env = {**os.environ}
    env.setdefault("DJANGO_SETTINGS_MODULE", "sift_batch.settings")
    env.setdefault("ALLOWED_HOSTS", f"{HOST},localhost")
    env.setdefault("SECRET_KEY", _kept_secret())
    return env


def _kept_secret() -> str:
    """A key of this machine's own: sessions outlive a restart, and no key is in the source."""
    SECRET_FILE.parent.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        made = os.open(SECRET_FILE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(made, "w") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
    if secret := SECRET_FILE.read_text().strip():
        return secret
    raise CannotServe(f"{SECRET_FILE} is empty: remove it, and it is made anew")


def _database() -> str:
    """Which database it is, without what opens it."""
    from django.db import connections

    known = connections["default"].settings_dict
    if connections["default"].vendor == "sqlite":
        return _relative(known["NAME"])
    return f"{connections['default'].display_name} {known['NAME']} at {known['HOST'] or 'local'}"


def _relative(path: str | Path) -> str:
    known = Path(path)
    return str(known.relative_to(Path.cwd()) if known.is_relative_to(Path.cwd()) else known)


def _welcome(port: int, password: str, token: str) -> str:
    here = f"http://{HOST}:{port}"
    log_in = f"user {USERNAME}, password {password}   (shown this once)"
    if not password:
        same = " (same DATABASE_URL)" if "DATABASE_URL" in os.environ else ""
        log_in = f"user {USERNAME}; its password was shown once, when it was made\n"
        log_in += f"            another one: {_relative(sys.executable)} -m sift_batch.serve"
        log_in += f" --new-password{same}"
    its_token = "its token is shown this once:"
    if not token:
        its_token = f"its token was shown once; another one: {here}/admin/tokens/token/add/"
    return f"""
sift batch runs: a web server and a worker, for this machine.

  database  {_database()}
  admin     {here}/admin/
            {log_in}
  API       {here}/api/jobs/
            {its_token}

  curl -H "Authorization: Bearer {token or "$TOKEN"}" \\
       -H "Content-Type: application/json" \\
       -d '{{"targets": ["https://example.com/"]}}' \\
       {here}/api/jobs/

Ctrl-C stops both; jobs in hand have {GRACE_SECONDS:g} seconds to end.
"""


class _Stop:
    """How often this process was told to stop."""

    def __init__(self) -> None:
        self.times = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._count)

    def _count(self, *_: object) -> None:
        self.times += 1


def serve(port: int, *, new_password: bool = False) -> int:
    """Serve until told to stop; the worker's exit code. Raises :class:`CannotServe`."""
    stop = _Stop()
    listener = listen(port)
    env = _environment()
    set_up_django(env)
    password = make_account(USERNAME, staff=True, new_password=new_password)
    token = make_token(USERNAME)
    port = listener.getsockname()[1]
    children = []
    try:
        children.append(web := start_web(listener, env))
        children.append(worker := start_worker(env))
        wait_for_web(web, port)
        _wait_for_worker(worker, stop)
        print(_welcome(port, password, token), flush=True)
        while not stop.times:
            web.check()
            worker.check()
            time.sleep(LOOK_SECONDS)
        return _end(web, worker, stop)
    finally:
        for child in children:
            child.end()


def _wait_for_worker(worker: Child, stop: _Stop) -> None:
    """Until it has said in its row that it lives. Raises :class:`CannotServe`."""
    from batch.models import BatchWorker

    row = BatchWorker.objects.filter(name__contains=f":{worker.pid}:")
    while not (stop.times or row.exists()):
        worker.check()
        time.sleep(LOOK_SECONDS)


def _end(web: Child, worker: Child, stop: _Stop) -> int:
    print("stopping; Ctrl-C once more cuts off the jobs in hand", flush=True)
    told = stop.times
    web.ask_to_end()
    worker.ask_to_end()
    ends = time.monotonic() + GRACE_SECONDS + KILL_AFTER_SECONDS
    while (code := worker.wait(LOOK_SECONDS)) is None and time.monotonic() < ends:
        if stop.times > told:
            told = stop.times
            worker.ask_to_end()
    if code is None:
        code = worker.end()
    # It had no time to learn of signals, nor to take a job.
    return 0 if code == -signal.SIGTERM else code


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m sift_batch.serve", description=__doc__)
    parser.add_argument(
        "--port",
        type=int,
        default=os.environ.get("PORT", PORT),
        help=f"default: PORT of the environment, or {PORT}; 0: any that is free",
    )
    parser.add_argument(
        "--new-password", action="store_true", help=f"give {USERNAME} another password"
    )
    given = parser.parse_args(argv)
    try:
        return serve(given.port, new_password=given.new_password)
    except (CannotServe, OSError) as error:
        print(f"sift_batch.serve: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
