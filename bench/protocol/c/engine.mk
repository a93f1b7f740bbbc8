# Builds an engine over a library of the system, or over that of a prefix: make TARGET=DIR PEERS=PREFIX. Its Makefile says ENGINE,
# LIBRARY, HEADER, PACKAGE and LIBS before it includes this.

TARGET ?= ../../../target
CFLAGS ?= -O2
PROTOCOL := $(dir $(lastword $(MAKEFILE_LIST)))
PROGRAM := $(TARGET)/bench-engines/$(ENGINE)
SOURCES := $(ENGINE).c $(addprefix $(PROTOCOL),protocol.c aead.c)

ifdef PEERS
CPPFLAGS += -I$(PEERS)/include
LDFLAGS += -L$(PEERS)/lib -Wl,-rpath,$(PEERS)/lib
endif

has_header = $(shell $(CC) $(CPPFLAGS) -E -x c -include $(1) /dev/null >/dev/null 2>&1 && echo yes)

ifneq ($(call has_header,$(HEADER)),yes)
$(error the $(ENGINE) engine needs <$(HEADER)> of $(LIBRARY) (Debian: apt install $(PACKAGE)))
endif

# What an operation does not have is left out of the list of operations, and zero.
WARNINGS := -Wall -Wextra -Werror -Wno-missing-field-initializers

# Always, which takes a second: nothing here is newer than a library that was replaced.
.PHONY: $(PROGRAM)
$(PROGRAM):
	mkdir -p $(@D)
	$(CC) -std=c11 $(WARNINGS) -I$(PROTOCOL) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(SOURCES) $(LIBS)
