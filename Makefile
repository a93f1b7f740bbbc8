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

.PHONY: help demo test check doc bench-files bench-files-splice fuzz-smoke test-slow deny install

help:
	@echo "make demo         seal a real file to a post-quantum key and open it again, timed beside cp (INPUT=FILE)"
	@echo "make test         everything that this machine can run; says what it skipped"
	@echo "make check        format, lints, layers, documentation: seconds, before each commit"
	@echo "make bench-files  files beside cp, age, rage and openssl; writes a record"
	@echo "make fuzz-smoke   every fuzz target for a while, two minutes in all"
	@echo "make test-slow    a pipe of 5 GiB in constant memory, all bit flips"
	@echo "make install      the command line into ~/.cargo/bin (PREFIX=DIR: DIR/bin)"

demo:
	@echo "Building the release binary; the first time this takes some minutes."
	$(RELEASE)
	@SEALSTONE="$(SEALSTONE)" INPUT="$(INPUT)" sh examples/demo.sh

test:
	$(CARGO) test --workspace

check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	$(CARGO) test --quiet -p sealstone --test layers
	$(CARGO) test --quiet -p sealstone-cli --test robustness
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	$(PYTHON) bench/files.py --check README.md

bench-files:
	$(RELEASE)
	$(PYTHON) bench/files.py --sealstone "$(SEALSTONE)"

# README's table is written by this, never by hand; `make check` compares them.
bench-files-splice:
	$(PYTHON) bench/files.py --splice README.md

fuzz-smoke:
	sh fuzz/smoke.sh

test-slow:
	$(RELEASE)
	sh crates/cli/tests/slow.sh "$(SEALSTONE)"
	SEALSTONE_EXHAUSTIVE=1 $(CARGO) test --release -p sealstone

# Licences, sources and duplicate versions of all dependencies (deny.toml).
deny:
	command -v cargo-deny >/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check bans licenses sources

install:
	$(RELEASE)
	install -D -m 755 "$(SEALSTONE)" "$(PREFIX)/bin/sealstone"
