# poolkit: all targets. No recursion, no configure; objects under build/FLAVOUR/.
#
#   make            the four tools, in build/rel/
#   make test       unit tests and command line cases (T=core/dmu: only tests under that path)
#   make asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make replay     every fuzz target over its kept corpus, under the sanitizers
#   make fuzz T=nvlist TIME=60
#   make coverage   line coverage of formats/ from unit tests and fuzz corpora
#   make corpus     genuine pools from POOLKIT_CORPUS against their manifests
#   make commit-corpus  three commits each to genuine pools
#   make zdb-matrix  images that differ in one thing each, judged by zdb
#   make pairs      images in which every two options meet, judged and copied out again (an hour)
#   make interop    zdb, GRUB, zfs-fuse and a kernel judge what mkpool writes
#   make accept     rewrites what the command line cases expect: read the diff
#   make bench      our tools and their peers in turn (bench/README.md; R="B1 B9": only these rows)
#   make lint       layers, shell scripts, man pages; clang-tidy and cppcheck where installed
#   make format install clean

CC      ?= gcc
FLAVOUR ?= rel
B       := build/$(FLAVOUR)
prefix  ?= /usr/local

STD     := -std=c17 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. -pthread
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wno-sign-conversion -Wstrict-prototypes \
           -Wmissing-prototypes
LIBS    := -llz4 -lzstd -lz -ldeflate -lcrypto -lmagic
ARCHIVE := -larchive

FLAGS_rel  := -O2 -g
FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fsanitize=thread
FLAGS_cov  := -O0 -g --coverage
FLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FLAGS   := $(FLAGS_$(FLAVOUR)) $(CFLAGS)

TOOLS   := mkpool pooldump poolcheck poolcp
SRC     := $(filter-out %_test.c %_fuzz.c,$(wildcard formats/*.c formats/*/*.c core/*/*.c cmd/*.c))
TEST    := $(wildcard formats/*_test.c formats/*/*_test.c core/*/*_test.c cmd/*_test.c \
           cmd/*/*_test.c)
FUZZ    := $(wildcard formats/*_fuzz.c formats/*/*_fuzz.c core/*/*_fuzz.c cmd/*_fuzz.c)
LIB     := $(B)/libpoolkit.a
PAGES   := $(wildcard cmd/*/*.1)
BUILT   := $(foreach t,$(TOOLS),$(if $(wildcard cmd/$(t)/main.c),$(B)/$(t)))

.PHONY: all bench commit-corpus corpus zdb-matrix pairs interop test asan tsan accept replay replay-build replay-run fuzz \
        coverage coverage-run lint format install clean unit tools
.SECONDARY:
.SUFFIXES:
all: tools
tools: $(BUILT)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(WARN) $(FLAGS) -MMD -MP -c -o $@ $<

# Criterion's macros trip these two.
$(B)/%_test.o: WARN := $(filter-out -Wconversion -Wmissing-prototypes -Wshadow,$(WARN))

$(LIB): $(SRC:%.c=$(B)/%.o)
	@rm -f $@
	ar rcs $@ $^

define TOOL_RULE
$(B)/$(1): $(patsubst %.c,$(B)/%.o,$(filter-out %_test.c,$(wildcard cmd/$(1)/*.c))) $(LIB)
	$$(CC) $$(STD) $$(FLAGS) -o $$@ $$^ $$(ARCHIVE) $$(LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call TOOL_RULE,$(t))))

# T=core/dmu builds and runs the tests under that path only. UNITFLAGS go to Criterion.
T ?=
UNITFLAGS ?= -j2
UNIT := $(B)/unit$(subst /,-,$(T))
$(UNIT): $(patsubst %.c,$(B)/%.o,$(filter $(T)%,$(TEST))) $(LIB)
	$(CC) $(STD) $(FLAGS) -o $@ $^ -lcriterion $(ARCHIVE) $(LIBS)
unit: $(UNIT)

test: $(UNIT) tools
	$(UNIT) $(UNITFLAGS)
	@if [ -z "$(T)" ]; then scripts/cli-test.sh $(B); fi

asan:
	$(MAKE) FLAVOUR=asan test T=$(T)
tsan:
	$(MAKE) FLAVOUR=tsan test T=$(T)
accept: tools
	scripts/cli-test.sh --accept $(B) $(T)

# Genuine pools (POOLKIT_CORPUS) against their manifests.
corpus: $(B)/manifest
	@scripts/corpus-test.sh $(B)
# Three commits each to genuine pools.
commit-corpus: $(B)/manifest $(B)/commit2 tools
	@scripts/commit-corpus.sh $(B)
# Judges of images that mkpool makes; POOLKIT_ZDB and the like say which (README.md).
zdb-matrix: $(B)/manifest tools
	@scripts/zdb-matrix $(B) $(T)
pairs: $(B)/manifest tools
	@scripts/pair-matrix $(B)
interop: $(B)/manifest tools
	@scripts/interop $(B)
# Damaged images through everything: scripts/hostile.sh. The wrap damages what was verified.
$(B)/hostile: $(B)/scripts/hostile.o $(LIB)
	$(CC) $(STD) $(FLAGS) -Wl,--wrap=decompress_block -o $@ $^ $(ARCHIVE) $(LIBS)

$(B)/manifest $(B)/commit2 $(B)/dslscript: $(B)/%: $(B)/scripts/%.o $(LIB)
	$(CC) $(STD) $(FLAGS) -o $@ $^ $(ARCHIVE) $(LIBS)

# A fuzz target is called after its file: formats/nvlist_fuzz.c is nvlist, with the corpus
# testdata/fuzz/nvlist. It is linked with libFuzzer to search, and with fuzz_replay to run files.
FUZZED  := $(notdir $(FUZZ:_fuzz.c=))
REPLAY  := $(FUZZED:%=$(B)/replay/%)

define FUZZ_RULE
$(B)/replay/$(notdir $(1:_fuzz.c=)): $(B)/$(1:.c=.o) $(B)/scripts/fuzz_replay.o $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(STD) $$(FLAGS) -o $$@ $$^ $$(ARCHIVE) $$(LIBS)
$(B)/search/$(notdir $(1:_fuzz.c=)): $(B)/$(1:.c=.o) $(LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(STD) $$(FLAGS) -fsanitize=fuzzer -o $$@ $$^ $$(ARCHIVE) $$(LIBS)
endef
$(foreach f,$(FUZZ),$(eval $(call FUZZ_RULE,$(f))))

replay:
	$(MAKE) FLAVOUR=asan replay-run
replay-build: $(REPLAY)
replay-run: $(REPLAY)
	scripts/replay.sh $(B)/replay

# New inputs are kept in build/corpus/T; a crash is written to build/fuzz/T-crash-*: give it a name
# and put it into testdata/fuzz/T.
TIME ?= 60
fuzz:
	@if [ -z "$(filter $(T),$(FUZZED))" ]; then \
		echo "make fuzz T=TARGET TIME=SECONDS, with TARGET one of: $(FUZZED)"; exit 2; fi
	$(MAKE) FLAVOUR=fuzz CC=clang build/fuzz/search/$(T)
	@mkdir -p build/corpus/$(T)
	build/fuzz/search/$(T) -max_total_time=$(TIME) -timeout=10 -rss_limit_mb=1024 \
		-artifact_prefix=build/fuzz/$(T)- build/corpus/$(T) $(wildcard testdata/fuzz/$(T))

# What the unit tests of formats/ and the fuzz corpora reach in formats/.
COVERAGE_MIN ?= 85
coverage:
	$(MAKE) FLAVOUR=cov T=formats coverage-run
coverage-run: $(UNIT) $(REPLAY)
	find $(B) -name '*.gcda' -delete
	$(UNIT) $(UNITFLAGS)
	scripts/replay.sh $(B)/replay
	scripts/coverage.sh $(B) formats $(COVERAGE_MIN)

# R: rows of bench/README.md, all when empty.
R ?=
bench: tools $(B)/bench/turns
	@bench/run.sh $(B) $(R)
$(B)/bench/turns: bench/turns.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(WARN) $(FLAGS) -o $@ $<

lint:
	scripts/lint.sh

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

install: tools
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/share/man/man1
	install -m 755 $(BUILT) $(DESTDIR)$(prefix)/bin
	$(if $(PAGES),install -m 644 $(PAGES) $(DESTDIR)$(prefix)/share/man/man1)

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
