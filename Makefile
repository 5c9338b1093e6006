# make run: the whole pipeline on digits.  make test: the tests.  Both set up .venv themselves.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: run install test test-slow faults fuzz check docs clean follow

run: install
	$(BIN)/pate

install: .venv/installed

# neighbours stay together, so that what a file's tests share is made once; who is done early takes from the other
test: .venv/installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: .venv/installed-test .venv/installed-browser
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# every command of README, tutorial and how-to pages as it stands there, data sets fetched (tens of minutes)
follow: .venv/installed-test
	PATE_FOLLOW=1 $(BIN)/python -m pytest -m slow tests/test_docs.py

# the whole harness: kills, full disks, concurrent spending (minutes)
faults: .venv/installed-test
	$(BIN)/python -m tests.faults --kills 200 --seed 0 --crowds 10 --all

# hostile files for every loader, then records that try to touch others
fuzz: .venv/installed-test
	$(BIN)/python -m tests.fuzz --files 20000 --seed 0
	PATE_EXAMPLES=1000 $(BIN)/python -m pytest -n 2 tests/data/test_one_record.py

check: .venv/installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy pate pipelines

# docs/reference, from the code and conf/
docs: .venv/installed
	$(BIN)/python -m docs.generate

clean:
	rm -rf .venv build dist *.egg-info

.venv/bin/python:
	$(PYTHON) -m venv .venv

# torch first and exactly: a wider pin brings gigabytes of GPU packages along
.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) --editable .
	touch $@

.venv/installed-test: .venv/installed
	$(PIP) --editable '.[test]'
	touch $@

# the report is tested in a real browser where there is one, or where it can be had
.venv/installed-browser: | .venv/bin/python
	command -v chromium chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		chromium chromium-driver fonts-dejavu-core >/dev/null; } || echo "no Chromium: its tests are skipped"
	touch $@

.venv/installed-check: .venv/installed
	$(PIP) --editable '.[test,check]'
	touch $@
