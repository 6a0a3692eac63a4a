# Two commands are enough: `make run` and `make test`. Each works alone on a fresh clone.
SHELL := /bin/bash
BUILD := build/release
prefix ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help run human test bench bench-peers format lint install tool configure packages

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: tool  ## Build the tool, then estimate the six springs of examples/hexapod from the motion of its load
	@echo "== Fitting examples/hexapod/problem.xml"
	@$(BUILD)/apps/parfait/parfait fit examples/hexapod/problem.xml --out run/hexapod

human: tool  ## Build the tool, then estimate ten constants of a sitting human from markers on its skin (Kraus 2006, chapter 14)
	@echo "== Fitting examples/sitting_human/problem.xml"
	@$(BUILD)/apps/parfait/parfait fit examples/sitting_human/problem.xml --out run/sitting_human
	@python3 examples/sitting_human/table.py run/sitting_human
	@echo "== report in run/sitting_human/report.html"

test: configure  ## Build everything and run all tests
	@echo "== Building everything in $(BUILD)"
	@cmake --build --preset release
	@echo "== Testing"
	@ctest --preset release

tool: configure
	@echo "== Building the tool in $(BUILD)"
	@cmake --build --preset release --target parfait

configure: packages
	@cmake --preset release > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }

packages:
	@mkdir -p $(dir $(BUILD))
	@scripts/install-packages scripts/packages.txt

bench:  ## Build and run the benchmarks
	@scripts/install-packages scripts/packages.txt scripts/packages-bench.txt
	@cmake --preset release -B build/bench -DPARFAIT_TESTS=OFF -DPARFAIT_BENCH=ON >/dev/null
	@cmake --build build/bench
	@for program in rhs k12 simulate estimate human; do echo "== bench_$$program"; build/bench/bench/bench_$$program; done

bench-peers:  ## Compare with Simbody, MuJoCo, Ceres with CVODES (installs them)
	@scripts/install-packages scripts/packages.txt scripts/packages-peers.txt
	@cmake --preset release -B build/peers -DPARFAIT_TESTS=OFF -DPARFAIT_PEERS=ON >/dev/null
	@cmake --build build/peers
	@for program in peers simulate_peers estimate_peers; do echo "== bench_$$program"; build/peers/bench/bench_$$program; done

format:  ## Format all sources
	@scripts/install-packages scripts/packages-lint.txt
	@find src apps tests examples bench -name '*.h' -o -name '*.cc' | xargs clang-format -i

lint:  ## Check formatting and run clang-tidy
	@scripts/install-packages scripts/packages.txt scripts/packages-lint.txt
	@scripts/lint

install: tool  ## Install the tool and the library: make install prefix=/opt/parfait
	@cmake --install $(BUILD) --prefix $(prefix)
