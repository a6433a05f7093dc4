"""What the commands have in common: an error is one line on stderr and an exit code."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.utils import Error, ProgrammingError

from batch import conf
from batch.errors import BatchError, InvalidTargetsError, UnknownJobError
from batch.ids import parse_id
from batch.text import one_line
from batch.words import Problem


class BatchCommand(BaseCommand):
    """A command whose work is :meth:`run`, which returns the exit code."""

    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        # argparse prints the usage before an error, which then has many lines.
        parser.usage = f"{subcommand} --help"
        return parser

    def run(self, **options: Any) -> int:
        """Do the work."""
        raise AssertionError("a command defines run")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            conf.settings()
            code = self.run(**options)
        except InvalidTargetsError as error:
            told = "; ".join(_told(problem) for problem in error.problems)
            raise CommandError(one_line(f"invalid targets: {told}"), returncode=2) from error
        except BatchError as error:
            raise CommandError(one_line(str(error)), returncode=2) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise CommandError(one_line(f"{where}{error.strerror or error}")) from error
        except (ImproperlyConfigured, ValueError) as error:
            raise CommandError(one_line(str(error))) from error
        except Error as error:
            missing = isinstance(error, ProgrammingError) or "no such table" in str(error)
            what = "run manage.py migrate" if missing else "the database does not answer"
            raise CommandError(f"{what}: {one_line(str(error))}") from error
        if code:
            raise SystemExit(code)


def _told(problem: Problem) -> str:
    where = "" if problem.index is None else f"target {problem.index}, "
    return f"{where}{problem.field}: {problem.message} ({problem.hint})"


def known_job(text: str) -> str:
    """The id in its usual form. Raises ``UnknownJobError``."""
    known = parse_id(text)
    if known is None:
        raise UnknownJobError(text)
    return str(known)


def cli_caller() -> str:
    """Who submits from the command line."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a container's user without a name
        return "cli:unknown"
