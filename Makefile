# The front door. Everything runs from a fresh clone: tools, packages and engines are brought where they are missing.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

export PATH := $(CURDIR)/.tools/bin:$(PATH)
sources := $(shell find src -name '*.ts')

.PHONY: help demo bench test test-all test-unit test-vm test-newer check mutate build init engines images engines-down clean packages node

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: packages build engines ## Show what the sandbox does, on a real engine
	@scripts/demo

test: packages build ## check, then contract, attacks, faults, agent API, command line on every backend, and the virtual machine
	@scripts/test

test-all: packages build images ## Also the interpreter images and load (an hour or two)
	@scripts/test all

test-unit: node_modules/.package-lock.json ## Unit tests only; need no engine
	@npx --no-install vitest run --project 'unit*'

test-vm: packages build ## Rootless Podman on cgroup v2 under systemd, in a virtual machine (about 20 min)
	@docker/vm/test

test-newer: packages build ## The suites on the engines of a newer Debian, in a root of its own (about 40 min)
	@docker/newer/test

check: node_modules/.package-lock.json ## Lint, types, unit tests; compares init/bin with its source: under a minute
	@echo 'check: lint, types, unit tests (about 20 s)'
	@timeout --foreground 300 npm run --silent check
	@if [ "$$({ x86_64-linux-gnu-gcc -dumpfullversion && aarch64-linux-gnu-gcc -dumpfullversion; } 2>&1 | xargs)" = '12.2.0 12.2.0' ]; \
	then timeout --foreground 120 $(MAKE) --no-print-directory -C init check; \
	else echo 'check: SKIPPED the comparison of init/bin: needs gcc 12.2.0 (Debian 12) for x86-64 and arm64' >&2; \
	[ "$${CODE_SANDBOX_NO_SKIPS:-}" != 1 ]; fi

mutate: packages engines build ## Take each hardening option out on every target, and expect attacks to succeed
	@scripts/mutate

bench: packages build engines ## Side by side with bubblewrap, podman run, docker run and others: 45 min; ARGS=--quick takes two
	@node --expose-gc bench/main.mjs $(ARGS)

build: dist/.stamp ## Compile to dist/

init: packages ## Build the supervisor for x86-64 and arm64 into init/bin
	@$(MAKE) --no-print-directory -C init

engines: packages node ## Start the test engines (Debian with root; else use those that are there)
	@docker/engines/up

images: packages build engines ## Build the five interpreter images from Debian's packages, and check them
	@scripts/images

engines-down: ## Stop what `engines` started
	@docker/engines/down

clean: ## Remove what was made here, and the test engines with their images and user
	@docker/engines/down --purge
	@rm -rf dist .tools .engines .cache coverage bench/results *.tgz

packages:
	@scripts/install-packages

node:
	@scripts/setup-node

node_modules/.package-lock.json: package-lock.json | node
	@echo 'npm ci (about 20 s)'
	@timeout --foreground 600 npm ci --ignore-scripts --no-progress --loglevel=error
	@touch $@

dist/.stamp: $(sources) tsconfig.json tsconfig.build.json node_modules/.package-lock.json
	@echo 'build: src -> dist (about 5 s)'
	@npm run --silent build
	@touch $@
