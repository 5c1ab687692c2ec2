# `make` lists the targets.
SHELL := /bin/bash
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s

.DEFAULT_GOAL := help
.PHONY: help build demo test race vet lint policy fuzz slt matrix rewrite bench bench-quick clean ci

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 14

build: ## build bin/streamsql (static)
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/streamsql ./cmd/streamsql

demo: build ## build and run the main job on one real day of flights
	bin/streamsql --stats --format table -f testdata/demo/flights.sql

test: ## run all tests
	CGO_ENABLED=0 $(GO) test ./...

race: ## run the tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short ./...

vet: ## go vet and formatting
	CGO_ENABLED=0 $(GO) vet ./...
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not formatted: $$unformatted"; exit 1; fi

lint: ## static analysis (staticcheck, pinned in tools/go.mod)
	CGO_ENABLED=0 $(GO) tool -modfile=tools/go.mod staticcheck ./...

policy: ## the rules of the house: imports, comments, lengths
	CGO_ENABLED=0 $(GO) test ./internal/policy

slt: ## run the behaviour files only
	CGO_ENABLED=0 $(GO) test -run 'TestSQLLogic|TestFlink' .

matrix: ## run the answers of Flink in every configuration (some minutes)
	CGO_ENABLED=0 $(GO) test -run TestFlink . -matrix

rewrite: ## write what comes out into the .slt files; read the difference
	CGO_ENABLED=0 $(GO) test -run TestSQLLogic . -rewrite

fuzz: ## fuzz everything that reads bytes, FUZZTIME each (10s)
	.ci/fuzz $(FUZZTIME)

bench: ## compare with other engines (about ten minutes)
	bench/run

bench-quick: ## time the main jobs; fail if one has become slow (PROTOTYPE=folder: against it)
	bench/run -quick

ci: ## what CI runs
	.ci/run

clean: ## remove what was built
	rm -rf bin dist
