# poolkit: all targets. No recursion, no configure; objects under build/FLAVOUR/.
#
#   make            the four tools, in build/rel/
#   make test       unit tests and command line cases (T=core/dmu: only tests under that path)
#   make asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make replay     every fuzz target over its kept corpus, under the sanitizers
#   make fuzz T=nvlist TIME=60
#   make coverage   line coverage of formats/ from unit tests and fuzz corpora
#   make bench lint format install clean

CC      ?= gcc
FLAVOUR ?= rel
B       := build/$(FLAVOUR)
prefix  ?= /usr/local

STD     := -std=c17 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. -pthread
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wno-sign-conversion -Wstrict-prototypes \
           -Wmissing-prototypes
LIBS    := -llz4 -lzstd -lz -ldeflate -lcrypto
ARCHIVE := -larchive

FLAGS_rel  := -O2 -g
FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fsanitize=thread
FLAGS_cov  := -O0 -g --coverage
FLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FLAGS   := $(FLAGS_$(FLAVOUR)) $(CFLAGS)

TOOLS   := mkpool pooldump poolcheck poolcp
SRC     := $(filter-out %_test.c %_fuzz.c,$(wildcard formats/*.c formats/*/*.c core/*/*.c cmd/*.c))
TEST    := $(wildcard formats/*_test.c formats/*/*_test.c core/*/*_test.c cmd/*_test.c cmd/*/*_test.c)
FUZZ    := $(wildcard formats/*_fuzz.c formats/*/*_fuzz.c core/*/*_fuzz.c cmd/*_fuzz.c)
LIB     := $(B)/libpoolkit.a
BUILT   := $(foreach t,$(TOOLS),$(if $(wildcard cmd/$(t)/main.c),$(B)/$(t)))

.PHONY: all test asan tsan replay fuzz coverage bench lint format install clean unit tools
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

# T=core/dmu builds and runs the tests under that path only.
T ?=
UNIT := $(B)/unit$(subst /,-,$(T))
$(UNIT): $(patsubst %.c,$(B)/%.o,$(filter $(T)%,$(TEST))) $(LIB)
	$(CC) $(STD) $(FLAGS) -o $@ $^ -lcriterion $(ARCHIVE) $(LIBS)
unit: $(UNIT)

test: $(UNIT) tools
	$(UNIT) -j2
	@if [ -z "$(T)" ] && [ -x scripts/cli-test.sh ]; then scripts/cli-test.sh $(B); fi

asan:
	$(MAKE) FLAVOUR=asan test T=$(T)
tsan:
	$(MAKE) FLAVOUR=tsan test T=$(T)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
