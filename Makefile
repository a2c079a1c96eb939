# From a bare checkout with only python3: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=
# Processes that share the tests; what one has left over the others take from it.
TEST_PROCESSES ?= 3

# Ray phones home unless told not to; nothing here needs it to.
export RAY_USAGE_STATS_ENABLED ?= 0

.PHONY: help demo test test-long test-pythons lint style proto bench site clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    train on real handwritten digits, on a local Ray with two devices"
	@echo "make test    run the tests, TensorFlow as the oracle (PYTEST_ARGS='-k session' for some)"
	@echo "make test-long  run the tests that take long and rarely break"
	@echo "make test-pythons  install a wheel on each Python that is claimed, and try it"
	@echo "make site    the documentation, as a folder site/"
	@echo "make lint    ruff, mypy and the layering of imports"
	@echo "make proto   regenerate dataflow/proto/*_pb2.py from the .proto files"
	@echo "make bench   run the benchmarks"
	@echo "make clean   remove the environment and the caches"

# What pip installs from a checkout stays there, and is not compiled: where Python is told to write no
# bytecode, every process would do that anew. It needs nothing that is installed. Tests are pytest's to
# compile.
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/test_\w*\.py$$' $(dir $(wildcard */__init__.py))

# What clients of TensorFlow Serving speak. Alone: it asks for a TensorFlow whose files are those of
# tensorflow-cpu.
SERVING_CLIENT := 'tensorflow-serving-api==2.21.*'

# A stamp per set of extras, renewed when pyproject.toml is newer.
$(VENV)/demo.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[examples]'
	$(COMPILE)
	touch $@

$(VENV)/test.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(COMPILE) & \
	$(BIN)/python -m pip install --quiet --editable '.[test,oracle,examples]' && \
	$(BIN)/python -m pip install --quiet --no-deps $(SERVING_CLIENT) && wait $$!
	touch $@ $(VENV)/demo.stamp

demo: $(VENV)/demo.stamp
	$(BIN)/python examples/train_digits.py --target ray --devices 2

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist worksteal -m "not long and not alone" $(PYTEST_ARGS)
	$(if $(PYTEST_ARGS),,$(BIN)/python -m pytest -m alone tests/house)

test-long: $(VENV)/test.stamp
	$(BIN)/python -m pytest -m long $(PYTEST_ARGS)

test-pythons: $(VENV)/test.stamp
	$(BIN)/python -m tools.pythons

site: $(VENV)/test.stamp
	$(BIN)/python -m tools.documents.site

lint: style
	$(BIN)/python -m pytest -q tests/house/test_layering.py

# What of `lint` is no test.
style: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

proto: $(VENV)/test.stamp
	$(BIN)/python tools/generate_protos.py

bench: $(VENV)/test.stamp
	set -e; for name in local parts passes; do echo "== $$name"; $(BIN)/python benchmarks/$$name.py; done

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
