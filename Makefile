# Two commands are enough: `make run` and `make test`. Each works alone on a fresh clone.
SHELL := /bin/bash
BUILD := build/release
prefix ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help run test gallery bench bench-peers format lint install tool configure packages web-packages

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: tool  ## Build the tool, then estimate the six springs of examples/hexapod from the motion of its load
	@echo "== Fitting examples/hexapod/problem.xml"
	@$(BUILD)/apps/parfait/parfait fit examples/hexapod/problem.xml --out run/hexapod
	@echo "== The report: $(CURDIR)/run/hexapod/report.html"
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then echo "   open it with: xdg-open run/hexapod/report.html"; fi

test: web-packages configure  ## Build everything and run all tests
	@echo "== Building everything in $(BUILD)"
	@cmake --build --preset release
	@echo "== Testing"
	@ctest --preset release

tool: configure
	@echo "== Building the tool in $(BUILD)"
	@cmake --build --preset release --target parfait

configure: packages
	@cmake --preset release > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }

# A browser for the tests and the gallery, and npm where there is none; `make run` takes the npm that is there.
web-packages:
	@scripts/install-packages scripts/packages-web.txt $$(command -v npm > /dev/null || echo scripts/packages-npm.txt)

gallery: web-packages tool  ## Make the pictures of docs/gallery again
	@scripts/make-gallery $(BUILD)/apps/parfait/parfait

packages:
	@mkdir -p $(dir $(BUILD))
	@scripts/install-packages scripts/packages.txt

bench:  ## Build and run the benchmarks
	@scripts/install-packages scripts/packages.txt scripts/packages-bench.txt
	@cmake --preset release -B build/bench -DPARFAIT_TESTS=OFF -DPARFAIT_BENCH=ON >/dev/null
	@cmake --build build/bench
	@for program in rhs k12 simulate estimate; do echo "== bench_$$program"; build/bench/bench/bench_$$program; done

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
