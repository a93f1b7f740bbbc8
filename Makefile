# The commands anybody needs. Each is the ordinary command of its tool, so those who prefer these lose nothing.

CARGO ?= cargo
PYTHON ?= python3
PREFIX ?= $(or $(CARGO_HOME),$(HOME)/.cargo)

# The command line is linked statically where the C compiler can: a process starts in half the time.
STATIC := $(shell echo 'int main(void) { return 0; }' | $(or $(CC),cc) -static-pie -x c -o /dev/null - 2>/dev/null \
            && echo '-C target-feature=+crt-static')
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
SEALSTONE := $(TARGET)/release/sealstone
RELEASE = $(CARGO) rustc --locked --release --quiet -p sealstone-cli --bin sealstone -- $(STATIC)

# The npm package, and its native part on the one platform that has one.
NPM := npm --prefix bindings
HAS_ADDON := $(shell test "$$(uname -sm)" = 'Linux x86_64' && getconf GNU_LIBC_VERSION 2>/dev/null)
ADDON := bindings/node/npm/linux-x64-gnu/sealstone.linux-x64-gnu.node
PACKED := $(TARGET)/npm
# The same for tests: with the native part of the dev profile, which is compiled with everything else.
TEST_PACKED := $(TARGET)/npm-test
TOOLS := bindings/js/test/tools

# The Python package: where its tools and the environments of its tests are, and the wheel.
PYTHONS := $(TARGET)/python
WHEELS := $(TARGET)/wheels
WITH_PYTHON = PYTHON="$(PYTHON)" sh bindings/python/with-python.sh
MATURIN = PATH="$(PYTHONS)/tools/bin:$$PATH" "$(PYTHONS)/tools/bin/maturin" build --quiet --release --locked -m bindings/python/Cargo.toml -i "$(PYTHONS)/tools/bin/python"

# All pages as a site, and the tools that build it.
SITE := $(TARGET)/docs
SITE_TOOLS := $(TARGET)/docs-tools

BENCH = $(CARGO) run --locked --release --quiet --manifest-path bench/Cargo.toml --
# make bench Q=aead-aes-256-gcm E=ring: one definition, or a group of them, and besides Sealstone one engine.
QUESTION = $(foreach name,$(Q),--definition $(name)) $(if $(E),--engine sealstone --engine sealstone-cli --engine cp $(foreach name,$(E),--engine $(name)))

.PHONY: help demo test check check-targets generate release bench bench-all bench-before bench-files bench-sanity bench-regression bench-report bench-splice \
        fuzz-smoke constant-time test-emulated test-portable test-rustcrypto test-slow check-vectors test-peers test-release test-wasm test-node test-browser test-platforms test-firefox-webkit test-deno-bun test-workerd test-bundlers example-browser example-vue npm npm-bundles addon wasm check-node wheel test-python test-jobs check-python deny install install-c c docs

help:
	@echo "make demo         seals a real file to a post-quantum key and opens it again, timed beside cp (INPUT=FILE)"
	@echo "make test         all tests that this machine can run; lists what it skipped"
	@echo "make test-wasm    a part of make test: the ciphers' tests as WebAssembly in Node"
	@echo "make test-node    a part of make test: builds the npm package and tests it in Node"
	@echo "make test-browser a part of make test: the npm package in headless Chromium, which CHROME or PATH names"
	@echo "make test-platforms  the packed npm package in Firefox and WebKitGTK (apt: firefox-esr libwebkit2gtk-4.1-0 xvfb xauth), Deno, Bun and workerd"
	@echo "make test-deno-bun  the packed npm package in Deno and Bun, which npm downloads (100 MB each)"
	@echo "make test-workerd  the packed npm package in Cloudflare's runtime, which npm downloads (100 MB)"
	@echo "make test-bundlers  the packed npm package in pages and servers, as Vite, webpack, esbuild, Rolldown, Rollup, ncc and Next build them (300 MB)"
	@echo "make example-browser  serves the page of examples/browser, which encrypts and decrypts files"
	@echo "make example-vue  serves the page of examples/vue, with keys, files and notes"
	@echo "make wasm         builds the modules of WebAssembly into bindings/wasm/modules (a minute)"
	@echo "make npm          packs the npm package, with its native part on Linux on x86-64 with glibc, into $(PACKED)"
	@echo "make c            builds the C library into $(C_PACKED) (two minutes)"
	@echo "make go           builds it for the Go module, bindings/go, and tests that"
	@echo "make install-c    installs it into PREFIX=DIR, below DESTDIR"
	@echo "make wheel        builds the Python wheel for Linux with glibc 2.28 or newer into $(WHEELS)"
	@echo "make test-python  a part of make test: the Python wheel, installed in an empty environment"
	@echo "make test-jobs    jobs on Spark and on an S3 server on loopback, whose workers are killed (Java, Go; downloads 500 MB)"
	@echo "make check        format, lints, layers, documentation; run it before each commit (seconds once built)"
	@echo "make docs         builds all pages as a site with search, to be read offline: $(SITE)/index.html"
	@echo "make generate     writes bindings/table.json, all that repeats core's names, and exports of the npm package; make check compares them"
	@echo "make test-release  what CI has no time for, in parts of half an hour: $(RELEASE_PARTS)"
	@echo "make quick        what most changes of Rust need, in two minutes: layers, unit tests, vectors"
	@echo "make counts       raises how many tests of each suite have to pass, after a whole \`make test\`"
	@echo "make check-targets  types on targets that no test runs on, such as macOS and WebAssembly"
	@echo "make bench        compares Sealstone with its peers in about 20 minutes besides building; writes bench/report/index.html"
	@echo "                  (make bench-all: everything; see bench/README.md)"
	@echo "make scale        writes docs/design/scale.md: what jobs over 10^9 objects would cost (after make test-jobs)"
	@echo "make bench-before BASE=COMMIT  Sealstone as COMMIT has it and as it is now, in turns; fails when it has become slower"
	@echo "make fuzz-smoke   runs every fuzz target, five minutes in all (make test-fuzz: a minute each)"
	@echo "make test-rustcrypto  the core's tests with the provider for WebAssembly"
	@echo "make test-portable  all tests on the portable backend of our own kernels"
	@echo "make test-emulated  the ciphers' tests on an emulated CPU with GFNI and AVX-512 (needs Bochs 2.8: crates/ciphers/emulated)"
	@echo "make constant-time  checks that our own kernels are constant time: valgrind, machine code, timing (a minute once built; SECURITY.md)"
	@echo "make check-vectors  the reference in Python reads all vectors; ssh-keygen, OpenSSL, tar and zstd check them"
	@echo "make test-peers   the bench's sanity round with the engines in Node, Chromium and Python (ten minutes)"
	@echo "make test-slow    a pipe of 5 GiB in constant memory, an archive of a million members, all bit flips, 2 GiB in Node"
	@echo "make install      installs the command line into ~/.cargo/bin (PREFIX=DIR: DIR/bin)"

demo:
	@echo "Building the release binary; the first time this takes some minutes."
	$(RELEASE)
	@SEALSTONE="$(SEALSTONE)" INPUT="$(INPUT)" sh examples/demo.sh

# All tests that this machine can run, in four lanes side by side (lanes/run.sh).
test:
	@exec env MAKE="$(MAKE)" CARGO_TARGET_DIR="$(TARGET)" sh lanes/run.sh

# After a whole run: how many tests of each suite have to pass from then on. It lowers nothing.
counts:
	sh lanes/count.sh write "$(TARGET)/lanes"

# Everything that cargo builds for tests is one graph: with `-p` a package would have other features, and be compiled anew with all that it
# needs. Who comes while another lane builds waits, and finds it built.
GRAPH = $(CARGO) build --workspace --all-targets --locked --quiet

.PHONY: counts lane-rust lane-npm lane-python lane-go quick graph go go-library
graph:
	$(GRAPH)

quick: graph
	$(CARGO) test --workspace --locked --lib --bins --test layers --test vectors

lane-rust:
	@echo "== compiles the workspace and its tests"
	$(GRAPH)
	@echo "== tests of the workspace"
	$(CARGO) test --workspace --locked
	@echo "== ciphers on the portable backend"
	SEALSTONE_BACKEND=portable $(CARGO) test --workspace --locked --test hazmat --test nacl --test wycheproof
	@echo "== tests of the benchmark"
	$(CARGO) test --manifest-path bench/Cargo.toml --workspace --locked --lib --bins --test before --test command --test regression --test report --test turns

lane-npm:
	@echo "== packages of npm, modules of WebAssembly and bundles"
	@sh bindings/js/with-npm.sh $(MAKE) --no-print-directory npm-bundles
	@echo "== waits for the addon"
	@sh bindings/js/with-npm.sh $(GRAPH)
	@$(MAKE) --no-print-directory test-node
	@echo "== tests in Chromium"
	@sh bindings/js/with-chromium.sh $(MAKE) --no-print-directory test-browser
	@echo "== examples in Node"
	@sh bindings/js/with-npm.sh sh examples/test.sh node "$(TEST_PACKED)"
	@echo "== ciphers as WebAssembly"
	@$(MAKE) --no-print-directory test-wasm

lane-python:
	@echo "== packages of pip"
	@$(WITH_PYTHON) $(MAKE) --no-print-directory "$(PYTHONS)/tools/installed" "$(PYTHONS)/tests/requirements.txt"
	@echo "== waits for the native module"
	@$(WITH_PYTHON) $(GRAPH)
	@$(MAKE) --no-print-directory test-python

lane-go:
	@echo "== waits for the C library"
	$(GRAPH)
	@sh bindings/go/test.sh "$(TARGET)/debug"
	@echo "== examples in Java"
	@SEALSTONE="$(TARGET)/debug/sealstone" sh examples/java/test.sh || { [ $$? = 77 ] && sh lanes/skip.sh "the examples in Java" "they lack what they say above"; }

# All pages as a site with search, which is read without a network (docs/design/site.md). A link to what does not exist is a failure.
docs: $(SITE_TOOLS)/installed
	rm -rf "$(SITE)"
	"$(SITE_TOOLS)/bin/sphinx-build" -q -E -W --keep-going -c docs/site -d "$(SITE_TOOLS)/read" . "$(SITE)"
	@echo "Open $(SITE)/index.html"

$(SITE_TOOLS)/installed: docs/site/requirements.txt
	@"$(PYTHON)" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "make docs needs CPython 3.11 or newer, with its modules venv and ensurepip" >&2; exit 1; }
	rm -rf "$(SITE_TOOLS)" && "$(PYTHON)" -m venv "$(SITE_TOOLS)"
	"$(SITE_TOOLS)/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes --requirement $<
	touch $@

# The C library: header, shared and static library, and the file for pkg-config, as a prefix has them.
C_PACKED := $(TARGET)/c
DESTDIR ?=
C_PREFIX = $(if $(filter file,$(origin PREFIX)),/usr/local,$(PREFIX))

c:
	$(CARGO) build --locked --release --quiet -p sealstone-c
	sh bindings/c/pack.sh "$(TARGET)/release" "$(C_PACKED)"
	@echo "The C library is in $(C_PACKED): include, lib, lib/pkgconfig."

install-c: c
	mkdir -p "$(DESTDIR)$(C_PREFIX)"
	cp -RP "$(C_PACKED)/include" "$(C_PACKED)/lib" "$(DESTDIR)$(C_PREFIX)/"
	@echo "Installed into $(DESTDIR)$(C_PREFIX)."

# The Go module, with the archive and the header in a folder that git does not have.
go: go-library
	cd bindings/go && go vet ./... && go test -short ./...

go-library:
	$(CARGO) build --locked --release --quiet -p sealstone-c
	sh bindings/c/pack.sh "$(TARGET)/release" bindings/go/internal/native/lib

# What other languages and the guide repeat of core, and the exports of the npm package; written by this, never by hand.
generate: graph
	"$(TARGET)/debug/examples/table" write
	"$(TARGET)/debug/examples/calls" write
	sh bindings/js/with-npm.sh node bindings/js/exports.js write

.PHONY: lint
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

check: lint
	$(GRAPH)
	$(CARGO) test --quiet --workspace --locked --test languages --test layers --test pages --test robustness --test tables
	"$(TARGET)/debug/examples/table" check
	"$(TARGET)/debug/examples/calls" check
	CARGO="$(CARGO)" sh crates/check-features.sh
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	$(CARGO) fmt --manifest-path bench/Cargo.toml --all --check
	$(CARGO) clippy --manifest-path bench/Cargo.toml --workspace --all-targets --quiet -- -D warnings
	$(CARGO) run --quiet --manifest-path bench/Cargo.toml -- check
	@for manifest in fuzz/Cargo.toml bench/engines/*/Cargo.toml; do \
	    $(CARGO) metadata --locked --format-version 1 --manifest-path $$manifest >/dev/null || exit; \
	done
	@$(MAKE) --no-print-directory check-node
	@$(MAKE) --no-print-directory check-python
	@echo "check: all good"

# What it cannot have it says; with CI=true that is a failure.
check-targets:
	CARGO="$(CARGO)" sh crates/check-targets.sh

check-node:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory check-node-with-npm

.PHONY: check-node-with-npm
check-node-with-npm: bindings/node_modules/.package-lock.json
	$(NPM) run check --workspace sealstone

release:
	$(RELEASE)

# Writes a record, unless only some questions were asked, and the report from it.
bench:
	$(BENCH) run $(QUESTION) $(if $(strip $(QUESTION)),--output "$(TARGET)/bench-record.json") $(if $(ARCHIVE),--archive)
	$(BENCH) report $(if $(strip $(QUESTION)),"$(TARGET)/bench-record.json")

bench-files:
	$(BENCH) run --definition files-tmpfs --definition files-suites --definition files-disk --output "$(TARGET)/bench-record.json"

bench-all:
	$(BENCH) run --all
	$(BENCH) report

bench-sanity:
	$(BENCH) sanity $(QUESTION)

bench-regression:
	$(BENCH) regression $(QUESTION)

# Builds what BASE has below $(TARGET)/before; with Q= only some questions.
bench-before:
	@test -n "$(BASE)" || { echo "say which commit: make bench-before BASE=COMMIT" >&2; exit 1; }
	$(BENCH) before "$(BASE)" $(foreach name,$(Q),--definition $(name))

bench-report:
	$(BENCH) report

# Tables of documents are written by this, never by hand; `make check` compares them.
bench-splice:
	$(BENCH) splice

fuzz-smoke:
	CARGO_TARGET_DIR="$(TARGET)" sh fuzz/smoke.sh

.PHONY: test-fuzz
test-fuzz:
	CARGO_TARGET_DIR="$(TARGET)" sh fuzz/smoke.sh 60

# The second implementation reads all vectors; ssh-keygen and OpenSSL the signatures that they know; tarfile, tar and zstd the archives.
# Python's packages are downloaded.
check-vectors: $(TARGET)/vectors/installed
	cd vectors && for folder in file plugin; do "$(TARGET)/vectors/bin/python" reference.py check $$folder || exit; done
	cd vectors && for folder in signature signing_keys allowed_signers; do \
	    "$(TARGET)/vectors/bin/python" reference_signature.py check $$folder || exit; done
	cd vectors && "$(TARGET)/vectors/bin/python" generate_signature.py check
	cd vectors && "$(TARGET)/vectors/bin/python" generate_archive.py check
	cd vectors && "$(TARGET)/vectors/bin/python" generate_fise.py check
	@for tool in ssh-keygen openssl tar zstd; do \
	    command -v $$tool >/dev/null || CARGO_TARGET_DIR="$(TARGET)" sh lanes/skip.sh check-vectors "there is no $$tool" || exit; done

$(TARGET)/vectors/installed: vectors/requirements.txt
	rm -rf "$(TARGET)/vectors" && $(PYTHON) -m venv "$(TARGET)/vectors"
	"$(TARGET)/vectors/bin/pip" install --quiet --only-binary :all: --require-hashes --requirement $<
	touch $@

# Never a part of `make test`: what is measured depends on what else runs.
constant-time:
	CARGO="$(CARGO)" PYTHON="$(PYTHON)" sh crates/ciphers/constant_time/check.sh

test-slow:
	$(RELEASE)
	sh crates/cli/tests/slow.sh "$(SEALSTONE)"
	sh crates/cli/tests/members.sh "$(SEALSTONE)"
	SEALSTONE_EXHAUSTIVE=1 $(CARGO) test --release -p sealstone
	SEALSTONE_EXHAUSTIVE=1 sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-node-with-npm

# The bench's sanity round with the engines in Node, Chromium and Python, and all their peers.
test-peers:
	SEALSTONE_EXHAUSTIVE=1 sh bindings/js/with-chromium.sh $(CARGO) test --manifest-path bench/Cargo.toml --workspace --test sanity

# What is run before a release, and whenever a change touches it: parts of at most half an hour. Each is recorded with its date and commit,
# and what a commit has passed is not run again (lanes/release.sh).
RELEASE_PARTS = deny constant-time check-vectors test-fuzz test-rustcrypto docs check-targets test-peers test-shipped test-examples-rust test-c-release test-go-release test-everywhere test-bundlers test-firefox-webkit

.PHONY: test-shipped test-examples-rust test-c-release test-go-release test-everywhere
test-release:
	@exec env MAKE="$(MAKE)" CARGO_TARGET_DIR="$(TARGET)" sh lanes/release.sh $(RELEASE_PARTS)

# What is shipped: the addon, the wheel and the command line as they are linked for users, packed and installed.
test-shipped:
	$(RELEASE)
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory npm
	sh bindings/js/with-npm.sh sh examples/test.sh node "$(PACKED)"
	@$(WITH_PYTHON) $(MAKE) --no-print-directory wheel-with-python
	rm -rf "$(TARGET)/shipped" && "$(PYTHON)" -m venv "$(TARGET)/shipped"
	"$(TARGET)/shipped/bin/pip" install --quiet --disable-pip-version-check --no-index "$(WHEELS)"/*.whl
	sh examples/test.sh python "$(TARGET)/shipped/bin/python"
	sh crates/cli/tests/shipped.sh "$(SEALSTONE)"
	sh crates/cli/tests/members.sh "$(SEALSTONE)"
	@SEALSTONE="$(SEALSTONE)" INPUT="$(INPUT)" sh examples/demo.sh

test-examples-rust:
	CARGO="$(CARGO)" sh examples/test.sh rust

# The tests in C where Valgrind and sanitizers see each byte.
test-c-release:
	$(GRAPH)
	$(CARGO) test --workspace --locked --test c -- --ignored

# The Go module under the race detector, with 10,000 goroutines and 5 GiB, and beside both gmsm libraries.
test-go-release:
	$(GRAPH)
	sh bindings/go/test.sh "$(TARGET)/debug" long

# Each suite of the npm package on each backend, and what takes too long for each change; the ciphers as WebAssembly without SIMD as well.
test-everywhere:
	SEALSTONE_EXHAUSTIVE=1 sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-node-with-npm
	SEALSTONE_EXHAUSTIVE=1 sh bindings/js/with-chromium.sh $(MAKE) --no-print-directory test-browser
	SEALSTONE_EXHAUSTIVE=1 $(MAKE) --no-print-directory test-wasm
	SEALSTONE_EXHAUSTIVE=1 $(CARGO) test --workspace --locked
	SEALSTONE_ALL_STEPS=1 SEALSTONE_EXHAUSTIVE=1 $(MAKE) --no-print-directory test-python

# The whole suite on the backend that every CPU has; of it `make test` runs what is about ciphers.
test-portable:
	SEALSTONE_BACKEND=portable $(CARGO) test --workspace

# On a CPU with GFNI and AVX-512, for those who have another; needs Bochs.
test-emulated:
	sh crates/ciphers/emulated/run.sh

# The core's tests with the provider that WebAssembly has.
test-rustcrypto:
	CARGO_INCREMENTAL=0 RUSTFLAGS='--cfg sealstone_rustcrypto' RUSTDOCFLAGS='--cfg sealstone_rustcrypto' $(CARGO) test --quiet --target-dir "$(TARGET)/rustcrypto" -p sealstone

# The ciphers' tests as WASM in Node.
test-wasm:
	CARGO="$(CARGO)" sh bindings/wasm/test.sh

# The package in Node: in its sources, and as it is when it is installed.
test-node:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-node-with-npm

.PHONY: test-node-with-npm
test-node-with-npm: npm-test $(if $(SEALSTONE_EXHAUSTIVE),$(TOOLS)/node_modules/.package-lock.json)
	@echo "== tests in Node"
	SEALSTONE_CLI="$(TARGET)/debug/sealstone" SEALSTONE_PACKED="$(TEST_PACKED)" SEALSTONE_SKIPPED="$(TARGET)/tmp/skipped.txt" \
	    $(NPM) test --workspace sealstone

# The same in Chromium: the suites that ask nothing of Node, and the packed package in pages.
test-browser:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-browser-with-npm

.PHONY: test-browser-with-npm
test-browser-with-npm: npm-test
	SEALSTONE_CLI="$(TARGET)/debug/sealstone" SEALSTONE_PACKED="$(TEST_PACKED)" $(NPM) run test:browser --workspace sealstone

# Bundlers and test runners that users have; the package itself needs none of them.
$(TOOLS)/node_modules/.package-lock.json: $(TOOLS)/package-lock.json
	npm --prefix $(TOOLS) ci --ignore-scripts
	touch $@

# Never a part of `make test`: it downloads 300 MB, and builds for minutes.
test-bundlers:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-bundlers-with-npm

.PHONY: test-bundlers-with-npm
test-bundlers-with-npm: npm $(TOOLS)/node_modules/.package-lock.json
	SEALSTONE_EXHAUSTIVE=1 SEALSTONE_PACKED="$(PACKED)" $(NPM) test --workspace sealstone -- --project addon tools.test.ts
	node $(TOOLS)/pages.mjs "$(PACKED)"
	node bindings/js/test/next/run.mjs "$(PACKED)"

# Never a part of `make test`: it takes what has to be installed, or downloaded.
test-platforms: test-firefox-webkit test-deno-bun test-workerd

test-firefox-webkit:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-firefox-webkit-with-npm

.PHONY: test-firefox-webkit-with-npm
test-firefox-webkit-with-npm: npm
	SEALSTONE_PACKED="$(PACKED)" $(NPM) run test:platforms --workspace sealstone

# Never a part of `make test`: it downloads 70 MB.
test-deno-bun:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-deno-bun-with-npm

.PHONY: test-deno-bun-with-npm
test-deno-bun-with-npm: npm
	sh bindings/js/test/runtimes/run.sh "$(PACKED)"

# Never a part of `make test`: it downloads 100 MB.
test-workerd:
	sh bindings/js/with-npm.sh $(MAKE) --no-print-directory test-workerd-with-npm

.PHONY: test-workerd-with-npm
test-workerd-with-npm: npm $(TOOLS)/node_modules/.package-lock.json
	sh bindings/js/test/workerd/run.sh "$(PACKED)"

# A page that encrypts and decrypts files, with the package as it is here.
example-browser: npm-bundles
	node examples/browser/serve.mjs bindings/js

# The same in Vue.
example-vue: npm-bundles
	node examples/vue/serve.mjs bindings/node_modules

PACK = rm -rf "$(1)" && mkdir -p "$(1)" && cp LICENSE-APACHE LICENSE-MIT bindings/js && cp LICENSE-APACHE LICENSE-MIT $(dir $(ADDON)) && \
    cd bindings && npm pack --silent --workspace sealstone $(if $(HAS_ADDON),--workspace sealstone-linux-x64-gnu) --pack-destination "$(1)"

npm: $(if $(HAS_ADDON),addon) npm-bundles
	$(call PACK,$(PACKED))
	@$(if $(HAS_ADDON),,echo "There is no native part for this platform: the package computes in WebAssembly.")
	@echo "To use it: npm install $(PACKED)/*.tgz"

.PHONY: npm-test
npm-test: npm-bundles graph
	$(if $(HAS_ADDON),install -m 755 -s "$(TARGET)/debug/libsealstone_node.so" $(ADDON))
	$(call PACK,$(TEST_PACKED))

# What is JavaScript in the package, with the modules of WebAssembly; the benchmark's Node engine needs no more. Both are made anew when
# one of their sources is newer.
npm-bundles: bindings/js/dist/index.mjs

BUNDLED = $(wildcard bindings/js/*.ts bindings/js/*.js bindings/js/*.json) bindings/table.json $(shell find bindings/js/src crates/core/words -type f)

bindings/js/dist/index.mjs: bindings/node_modules/.package-lock.json bindings/wasm/modules/built $(BUNDLED)
	$(NPM) run build --workspace sealstone || { rm -rf bindings/js/dist; exit 1; }
	touch $@

addon:
	$(CARGO) build --locked --release --quiet -p sealstone-node
	install -m 755 "$(TARGET)/release/libsealstone_node.so" $(ADDON)

# The modules of WebAssembly, which compute where there is no addon.
wasm: bindings/wasm/modules/built

COMPILED = Cargo.toml Cargo.lock $(shell find crates/ciphers crates/core bindings/call bindings/engine bindings/wasm bindings/inflate -type f \
             -not -path '*/tests/*' -not -path 'bindings/wasm/modules/*')

bindings/wasm/modules/built: $(COMPILED)
	CARGO="$(CARGO)" sh bindings/wasm/build.sh bindings/wasm/modules
	touch $@

bindings/node_modules/.package-lock.json: bindings/package-lock.json
	$(NPM) ci --ignore-scripts
	touch $@

# The Python wheel. Zig links it against the oldest glibc that it is for, which this machine's compiler cannot.
wheel:
	@$(WITH_PYTHON) $(MAKE) --no-print-directory wheel-with-python

.PHONY: wheel-with-python
wheel-with-python: $(PYTHONS)/tools/installed
	$(MATURIN) --zig --compatibility manylinux_2_28 --target-dir "$(TARGET)/zig" --out "$(WHEELS)"
	@echo "To use it: pip install $(WHEELS)/*.whl"

# The package as it is when it is installed.
test-python:
	@$(WITH_PYTHON) $(MAKE) --no-print-directory test-python-with-python

.PHONY: test-python-with-python test-wheel
test-python-with-python: test-wheel $(PYTHONS)/tests/requirements.txt
	@echo "== tests of the wheel"
	PYTHON="$(PYTHON)" sh bindings/python/test.sh "$(PYTHONS)" "$(PYTHONS)"/wheel/*.whl "$(TARGET)/debug/sealstone"
	@echo "== examples in Python"
	sh examples/test.sh python "$(PYTHONS)/alone/bin/python"

# Never a part of `make test`: it downloads 500 MB, and needs Java and Go.
test-jobs:
	@$(WITH_PYTHON) $(MAKE) --no-print-directory test-jobs-with-python

.PHONY: test-jobs-with-python
test-jobs-with-python: test-wheel
	PYTHON="$(PYTHON)" sh bindings/python/test-jobs.sh "$(PYTHONS)" "$(PYTHONS)"/wheel/*.whl "$(TARGET)/debug/sealstone"

# What 10^9 objects would cost, from what is measured here: ten minutes on a quiet machine. The environment is that of test-jobs.
scale:
	SEALSTONE_VERSITYGW="$${SEALSTONE_VERSITYGW:-$(PYTHONS)/versitygw}" "$(PYTHONS)/jobs/bin/python" bindings/python/tests/jobs/scale.py docs/design/scale.md

# The wheel of benchmarks, linked as the command line is, whose libraries are compiled.
.PHONY: bench-wheel
bench-wheel: $(PYTHONS)/tools/installed
	rm -rf "$(PYTHONS)/bench-wheel"
	$(MATURIN) --auditwheel skip --out "$(PYTHONS)/bench-wheel"

# The wheel of tests has the module of the dev profile, which is compiled with everything else.
test-wheel: graph
	rm -rf "$(PYTHONS)/wheel" && mkdir -p "$(PYTHONS)"
	strip -o "$(PYTHONS)/_native.abi3.so" "$(TARGET)/debug/libsealstone_python.so"
	"$(PYTHON)" bindings/python/pack.py "$(PYTHONS)/_native.abi3.so" "$(PYTHONS)/wheel"

# The packages that the tests compare with.
$(PYTHONS)/tests/requirements.txt: bindings/python/tests/requirements.txt
	rm -rf "$(PYTHONS)/tests"
	"$(PYTHON)" -m venv "$(PYTHONS)/tests"
	"$(PYTHONS)/tests/bin/pip" install --quiet --no-compile --disable-pip-version-check --requirement $<
	cp $< $@

check-python:
	@$(WITH_PYTHON) $(MAKE) --no-print-directory check-python-with-python

.PHONY: check-python-with-python
check-python-with-python: $(PYTHONS)/tools/installed
	"$(PYTHONS)/tools/bin/ruff" format --quiet --check bindings/python
	"$(PYTHONS)/tools/bin/ruff" check --quiet bindings/python
	cd bindings/python/python && "$(PYTHONS)/tools/bin/mypy" --no-error-summary --config-file ../pyproject.toml --cache-dir "$(PYTHONS)/mypy" -p sealstone

$(PYTHONS)/tools/installed: bindings/python/tools.txt
	$(PYTHON) -m venv "$(PYTHONS)/tools"
	"$(PYTHONS)/tools/bin/pip" install --quiet --no-compile --disable-pip-version-check --requirement $<
	touch $@

# Licences, sources, duplicate versions and advisories of all dependencies (deny.toml). Where the database of advisories
# cannot be had, this says so; with CI=true that is a failure.
DENY = PATH="$(TARGET)/tools/bin:$$PATH" $(CARGO) deny --locked

deny:
	CARGO="$(CARGO)" CARGO_TARGET_DIR="$(TARGET)" sh lanes/tool.sh cargo-deny
	$(DENY) check bans licenses sources
	@if $(DENY) fetch db; then $(DENY) --offline check advisories; else \
	    CARGO_TARGET_DIR="$(TARGET)" sh lanes/skip.sh deny "advisories were NOT checked: their database cannot be had here"; fi

# The animated picture of README; `cargo t --test terminal` finds one that shows other commands.
.PHONY: picture
picture: release
	"$(PYTHON)" docs/terminal/recording.py "$(SEALSTONE)"

install:
	@echo "Building the release binary; the first time this takes some minutes."
	$(RELEASE)
	mkdir -p "$(PREFIX)/bin"
	install -m 755 "$(SEALSTONE)" "$(PREFIX)/bin/sealstone"
