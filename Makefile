# make setup | demo | test | docs | lint | format | sanitize | torture | device | bench | compare | clean
# PYTHON=python3.12 chooses the interpreter; PORTABLE=1 builds for any x86-64-v3 processor.
# TEST_WORKERS=1 runs the tests one after another instead of on all cores.
PYTHON ?= python3
PORTABLE ?= 0
TEST_WORKERS ?= $(shell nproc)
BIN := .venv/bin
STAMPS := .venv/stamps
CORE := $(shell find core cmake -name "*.?pp" -o -name "*.h" -o -name "*.cu" -o -name '*.f90' -o -name '*.cmake')
SIMGRID := $(if $(shell command -v smpicxx),with,without)
MPICH := $(if $(shell command -v mpicxx.mpich),with,without)

.PHONY: help setup demo test docs lint format sanitize torture device bench compare clean
.DELETE_ON_ERROR:

help:
	@echo "make setup     install what is missing and build into .venv"
	@echo "make demo      set up, then collide two LHC bunches on 2 ranks and report"
	@echo "make test      set up, then run every test and every example's check"
	@echo "make docs      write the documentation as a site into build/docs/html"
	@echo "make lint      ruff, mypy, clang-format, clang-tidy"
	@echo "make format    put Python and C++ into the project's format"
	@echo "make sanitize  the driver under the address and undefined-behaviour sanitizers"
	@echo "make torture   kill runs, flip bits, mutate inputs, draw studies (TORTURE_ARGS=\"--seconds 60 --seed 2\")"
	@echo "make device    compile the device code (needs nvcc)"
	@echo "make bench     measure the collision kernels, small case"
	@echo "make compare   the same collision in xfields and phasewise, side by side (COMPARE_ARGS=--small)"
	@echo "make clean     remove everything that was built, .venv included"

setup: $(STAMPS)/build $(STAMPS)/simulated-$(SIMGRID) $(STAMPS)/mpich-$(MPICH) \
	$(STAMPS)/recorder-$(MPICH)
	@:

$(STAMPS)/python: requirements.lock scripts/setup.sh scripts/packages.sh
	@scripts/packages.sh build
	@PYTHON="$(PYTHON)" scripts/setup.sh environment
	@mkdir -p $(STAMPS) && touch $@

# This stamp is renewed when PORTABLE changes.
$(STAMPS)/portable-$(PORTABLE): $(STAMPS)/python
	@rm -f $(STAMPS)/portable-* && touch $@

$(STAMPS)/paradigms: | $(STAMPS)/python
	@scripts/packages.sh paradigms
	@touch $@

$(STAMPS)/build: $(STAMPS)/portable-$(PORTABLE) $(STAMPS)/paradigms pyproject.toml CMakeLists.txt $(CORE)
	@PORTABLE="$(PORTABLE)" scripts/setup.sh build
	@touch $@

# Built again when SimGrid has been installed since.
$(STAMPS)/simulated-$(SIMGRID): $(STAMPS)/portable-$(PORTABLE) $(STAMPS)/build machines/platform.cpp
	@scripts/packages.sh simulated
	@PORTABLE="$(PORTABLE)" scripts/setup.sh simulated
	@touch $(STAMPS)/simulated-$$(command -v smpicxx >/dev/null && echo with || echo without)

# Built again when MPICH has been installed since.
$(STAMPS)/mpich-$(MPICH): $(STAMPS)/portable-$(PORTABLE) $(STAMPS)/build
	@PORTABLE="$(PORTABLE)" scripts/setup.sh mpich
	@touch $(STAMPS)/mpich-$$(command -v mpicxx.mpich >/dev/null && echo with || echo without)

RECORDER := $(wildcard recorder/*.[ch] phasewise/recorder/*.py)

$(STAMPS)/recorder-$(MPICH): $(STAMPS)/build $(RECORDER)
	@scripts/setup.sh recorder
	@touch $@

$(STAMPS)/browser: | $(STAMPS)/python
	@scripts/packages.sh browser
	@touch $@

$(STAMPS)/docs: requirements-docs.lock scripts/setup.sh | $(STAMPS)/python
	@scripts/setup.sh docs
	@touch $@

demo: setup
	@rm -rf runs/demo
	@$(BIN)/phasewise run examples/lhc/study.toml --ranks 2 --out runs/demo
	@$(BIN)/phasewise report runs/demo

test: setup $(STAMPS)/browser $(STAMPS)/docs
	@$(BIN)/python -m pytest --numprocesses=$(TEST_WORKERS) --dist=loadfile --no-loadscope-reorder $(PYTEST_ARGS)

docs: setup $(STAMPS)/docs
	@scripts/docs.sh build/docs

lint: setup
	@scripts/lint.sh

format: setup
	@$(BIN)/ruff check --fix-only --quiet . && $(BIN)/ruff format --quiet .
	@git ls-files -co --exclude-standard 'core/*.?pp' 'core/*.h' 'core/*.cu' 'examples/*.?pp' \
		'machines/*.cpp' 'recorder/*.[ch]' 'tests/data/record/*.c' | \
		xargs $(BIN)/clang-format -i

sanitize: setup
	@scripts/sanitize.sh

torture: setup
	@$(BIN)/python -m benchmarks.torture $(TORTURE_ARGS)

device: setup
	@cmake --build build/python --target device-compile

bench: setup
	@$(BIN)/phasewise bench collision --case small

compare: setup
	@$(BIN)/python -m benchmarks.compare_xfields $(COMPARE_ARGS)

clean:
	rm -rf .venv build
