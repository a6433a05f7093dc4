# Everything is installed into a virtual environment here at the first call, and again only when
# the requirements change.
#   PYTHON=python3.13   another Python (give it another VENV, or remove the old one first)
#   DJANGO=6.1          that Django on top of the pinned requirements, in an environment of its own
#   WITH=pgbouncer      of make test-on: a variant of it (tests/databases.py lists them)
#   WORKERS=1           tests in so many processes (3 by default), each with a database of its own
#   PORT=8001           of make run

PYTHON ?= python3
VENV ?= .venv$(if $(DJANGO),-django$(DJANGO))
PY = $(VENV)/bin/python
PIP = $(PY) -m pip install --quiet --disable-pip-version-check
WORKERS ?= 3
RUNS ?= 20000
SECONDS ?= 30
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist loadfile
# One at a time, or some side by side: mostly they wait.
LONG = $(PY) -m pytest $(if $(LONG_WORKERS),-n $(LONG_WORKERS) --dist loadfile)
LONG_ON ?= sqlite-default postgres

.DEFAULT_GOAL := help
.PHONY: help demo run setup test test-on test-long test-browser test-client test-celery lint gate
.PHONY: docs bench load fuzz mysql clean lint-deploy

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@sed -n 's/^#   \([A-Z]\)/  \1/p' Makefile

demo: $(VENV)/.runtime ## Fetch a few pages, PDFs and JSON files from a local site and show the results
	@$(PY) -m sift_batch.demo

run: $(VENV)/.runtime ## Start web server and worker, and say where to log in
	@$(PY) -m sift_batch.serve

setup: $(VENV)/.development ## Install everything the other targets need

test: setup ## The suite on SQLite, then all that uses the database again on PostgreSQL
	$(PYTEST) -m "not long and not browser and not client and not celery"
	@$(MAKE) --no-print-directory test-on DB=postgres

test-on: setup ## All that uses the database, on DB=sqlite, sqlite-default, postgres or mariadb
	TEST_DB=$(DB) TEST_WITH="$(WITH)" TEST_NO_SKIPS=1 $(PYTEST) \
		-m "services and not long and not browser and not client and not celery" $(ONLY)

test-long: setup ## The long trials, in full or TEST_ROUNDS=n, on each database in LONG_ON
	$(LONG) -m long
	@for db in $(LONG_ON); do \
		echo "TEST_DB=$$db"; \
		TEST_DB=$$db TEST_NO_SKIPS=1 $(LONG) -m "services and long" || exit; \
	done

test-browser: setup ## The pages of the admin in a real browser, where Chromium is installed
	$(PY) -m pytest -m browser tests/browser

test-client: setup ## Programs of others that read the OpenAPI document, on the API over PostgreSQL
	$(PIP) -r requirements-client.txt
	TEST_DB=postgres $(PY) -m pytest -m client tests/client

test-celery: setup ## Celery workers over RabbitMQ and Redis, or over BROKER=redis alone
	TEST_DB=postgres $(PY) -m pytest -m celery tests/celery $(if $(BROKER),-k $(BROKER))

lint: setup ## Style, types, import contracts, missing migrations, Django's checks
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) manage.py makemigrations --check --dry-run --settings tests.settings
	DEBUG=1 DATABASE_URL=sqlite://:memory: $(PY) manage.py check --fail-level WARNING

lint-deploy: setup ## Linters of others on the examples in deploy/ (170 MB to install)
	$(PIP) -r requirements-deploy.txt
	$(VENV)/bin/hadolint deploy/Dockerfile
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml
	$(VENV)/bin/kubernetes-validate --strict deploy/kubernetes.yaml

gate: lint test ## What has to pass before anything is merged

docs: $(VENV)/.docs ## Make the documents a site in build/docs; a link that leads nowhere fails it
	$(PY) -m sphinx --fail-on-warning --nitpicky --keep-going --fresh-env --quiet docs build/docs
	@echo "build/docs/index.html"

bench: setup ## Measure speed against other runners
	@$(PY) -m bench

load: setup ## Many callers of the API at once, for SECONDS=30 on PostgreSQL and on SQLite
	@$(PY) -m bench.load --seconds $(SECONDS)

fuzz: setup ## Read RUNS=20000 random documents, guided by coverage (where atheris has a wheel)
	$(PIP) --only-binary atheris -r requirements-fuzz.txt
	$(PY) -m tests.fuzz --runs $(RUNS)

mysql: setup ## Install the driver for MariaDB and MySQL (needs a C compiler and their headers)
	$(PIP) mysqlclient==2.3.2

clean: ## Remove caches and build leftovers
	rm -rf build dist *.egg-info htmlcov .coverage .coverage.*
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find batch sift_batch tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; try make PYTHON=...") \
		if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt | $(PY)
	@echo "Installing into $(VENV), once ..."
	@$(PIP) -r requirements.txt
	$(if $(DJANGO),@$(PIP) "Django==$(DJANGO).*")
	@touch $@

$(VENV)/.development: requirements-dev.txt $(VENV)/.runtime
	@echo "Installing the tools into $(VENV), once ..."
	@$(PIP) -r requirements-dev.txt
	$(if $(DJANGO),@$(PIP) "Django==$(DJANGO).*")
	@touch $@

$(VENV)/.docs: requirements-docs.txt $(VENV)/.runtime
	@echo "Installing Sphinx into $(VENV), once ..."
	@$(PIP) -r requirements-docs.txt
	@touch $@
