# Two commands are enough: `make run` and `make test`. Each works alone on a fresh clone.
SHELL := /bin/bash
BUILD := build/release
prefix ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help run human test python gallery bench bench-petab bench-peers fuzz mutate memcheck soak format lint install tool configure packages web-packages

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: tool  ## Build the tool, then estimate the six springs of examples/hexapod from the motion of its load
	@echo "== Fitting examples/hexapod/problem.xml"
	@$(BUILD)/apps/parfait/parfait fit examples/hexapod/problem.xml --out run/hexapod
	@echo "== The report: $(CURDIR)/run/hexapod/report.html"
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then echo "   open it with: xdg-open run/hexapod/report.html"; fi

human: tool  ## Build the tool, then estimate ten constants of a sitting human from markers on its skin (Kraus 2006, chapter 14)
	@echo "== Fitting examples/sitting_human/problem.xml"
	@$(BUILD)/apps/parfait/parfait fit examples/sitting_human/problem.xml --out run/sitting_human
	@python3 examples/sitting_human/table.py run/sitting_human
	@echo "== report in run/sitting_human/report.html"

test: web-packages packages  ## Build everything, the Python module too, and run all tests, those in a browser too
	@scripts/install-packages scripts/packages-python.txt
	@cmake --preset release -DPARFAIT_PYTHON=ON -DPARFAIT_BROWSER_TESTS=ON > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@echo "== Building everything in $(BUILD)"
	@cmake --build --preset release
	@echo "== Testing"
	@ctest --preset release

python: packages  ## Build the Python module and run its tests
	@scripts/install-packages scripts/packages-python.txt
	@cmake --preset release -DPARFAIT_PYTHON=ON > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build --preset release --target parfait _parfait cli_test_plugin
	@ctest --preset release -L python
	@echo "== PYTHONPATH=$(BUILD)/python imports it"

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
	@for program in rhs k12 simulate estimate human; do echo "== bench_$$program"; build/bench/bench/bench_$$program; done

bench-petab:  ## Fit the PEtab problems of a folder from many starts: make bench-petab PETAB=FOLDER STARTS=100
	@test -d "$(PETAB)" || { echo "say PETAB=FOLDER, with a folder for each problem"; exit 2; }
	@scripts/install-packages scripts/packages.txt scripts/packages-bench.txt
	@cmake --preset release -B build/bench -DPARFAIT_TESTS=OFF -DPARFAIT_BENCH=ON >/dev/null
	@cmake --build build/bench --target bench_petab
	@build/bench/bench/bench_petab $(PETAB) --starts $(or $(STARTS),100)

bench-peers:  ## Compare with Simbody, MuJoCo, Ceres with CVODES (installs them)
	@scripts/install-packages scripts/packages.txt scripts/packages-peers.txt
	@cmake --preset release -B build/peers -DPARFAIT_TESTS=OFF -DPARFAIT_PEERS=ON >/dev/null
	@cmake --build build/peers
	@for program in peers simulate_peers estimate_peers; do echo "== bench_$$program"; build/peers/bench/bench_$$program; done

FUZZ_SECONDS ?= 60
FUZZERS := formula csv model problem simulation fit result osim urdf lua c3d trc storage bvh meshup sbml petab
fuzz:  ## Look for inputs that crash: each fuzzer a minute (clang, libFuzzer, sanitizers; FUZZ_SECONDS=...)
	@scripts/install-packages scripts/packages.txt scripts/packages-lint.txt
	@cmake --preset asan -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DPARFAIT_FUZZ=ON -DPARFAIT_PCH=OFF \
	  -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link" >/dev/null
	@cmake --build build/fuzz --target $(FUZZERS:%=fuzz_%)
	@for name in $(FUZZERS); do echo "== fuzz_$$name"; mkdir -p build/fuzz/found/$$name; \
	  (cd build/fuzz && tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -max_len=4096 \
	    -dict=../../tests/fuzz/dictionary.txt -artifact_prefix=crash_$${name}_ -print_final_stats=1 \
	    found/$$name ../../tests/fuzz/corpus/$$name 2>&1 | grep -E "ERROR|SUMMARY|stat::number|Test unit" ; exit $${PIPESTATUS[0]}) || exit 1; done

mutate:  ## Plant the defects of tests/mutants one by one: each must be noticed by a test (an hour)
	@python3 tests/mutants/mutate.py $(MUTATE)

memcheck:  ## The test programs and the examples under valgrind (half an hour)
	@scripts/install-packages scripts/packages.txt scripts/packages-bench.txt
	@scripts/memcheck

SOAK_MINUTES ?= 10
soak: tool  ## Random models through simulate, fit and report, with laws that must hold (SOAK_MINUTES=...)
	@cmake --build --preset release --target soak_models
	@python3 tests/soak/soak.py --minutes $(SOAK_MINUTES)

format:  ## Format all sources
	@scripts/install-packages scripts/packages-lint.txt
	@find src apps tests examples bench -name '*.h' -o -name '*.cc' | xargs clang-format -i

lint:  ## Check formatting and run clang-tidy
	@scripts/install-packages scripts/packages.txt scripts/packages-lint.txt
	@scripts/lint

install: tool  ## Install the tool and the library: make install prefix=/opt/parfait
	@cmake --install $(BUILD) --prefix $(prefix)
