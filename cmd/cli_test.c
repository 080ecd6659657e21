#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <signal.h>

#include "cmd/cli.h"

enum { OPT_SIZE = 1, OPT_VOLUME, OPT_SALVAGE };

static const struct cli_option options[] = {
	{ OPT_SIZE, 's', "size", CLI_VALUE },
	{ OPT_VOLUME, 'V', NULL, CLI_VALUE },
	{ OPT_SALVAGE, 0, "salvage", CLI_OPTIONAL },
};
static const struct cli_spec spec = {
	.tool = "tool",
	.usage = "usage: tool\n",
	.options = options,
	.option_count = 3,
	.shared = CLI_TABLES | CLI_MEMBERS | CLI_TXG | CLI_THREADS | CLI_PROGRESS,
};
static const struct cli_spec fsck = { .tool = "check", .usage = "usage\n", .fsck_codes = true };

#define START(c, s, ...)                               \
	char *argv_[] = { "tool", __VA_ARGS__, NULL }; \
	cli_start(&c, &s, (int)(sizeof argv_ / sizeof argv_[0]) - 1, argv_)

Test(cli, shared_options_are_taken_on_the_way)
{
	struct cli c;
	struct err e;

	START(c, spec, "-vv", "-Hp", "-j3", "a", "-m", "x:y", "--pool=tank", "--offset", "1M",
	      "--txg", "77", "--progress", "-", "--", "-s");
	cr_assert_eq(cli_next(&c, &e), 0);
	cr_assert_eq(c.verbose, 2);
	cr_assert(c.tabs && c.exact && c.progress_given);
	cr_assert_eq(c.threads, 3);
	cr_assert_eq(c.member_count, 1);
	cr_assert_str_eq(c.members[0], "x:y");
	cr_assert_eq(c.arg_count, 3);
	cr_assert_str_eq(c.args[0], "a");
	cr_assert_str_eq(c.args[1], "-");
	cr_assert_str_eq(c.args[2], "-s");

	struct pool_options o = cli_pool_options(&c, NULL, 0);

	cr_assert_eq(o.path_count, 1);
	cr_assert_str_eq(o.paths[0], "x:y");
	cr_assert_str_eq(o.name, "tank");
	cr_assert(o.offset_given && o.offset == 1 << 20 && o.txg_given && o.txg == 77);
	o = cli_pool_options(&c, c.args, 2);
	cr_assert_str_eq(o.paths[0], "a");
	cr_assert_eq(cli_finish(&c, 0), 0);
}

Test(cli, a_tools_own_options_come_in_order_and_hide_shared_ones)
{
	struct cli c;
	struct err e;

	START(c, spec, "-s1G", "-V", "tank/v", "--salvage", "--salvage=raw", "--size", "+20%", "x");
	cr_assert_eq(cli_next(&c, &e), OPT_SIZE);
	cr_assert_str_eq(c.value, "1G");
	cr_assert_eq(cli_next(&c, &e), OPT_VOLUME);
	cr_assert_str_eq(c.value, "tank/v");
	cr_assert_eq(cli_next(&c, &e), OPT_SALVAGE);
	cr_assert_null(c.value);
	cr_assert_eq(cli_next(&c, &e), OPT_SALVAGE);
	cr_assert_str_eq(c.value, "raw");
	cr_assert_eq(cli_next(&c, &e), OPT_SIZE);
	cr_assert_str_eq(c.value, "+20%");
	cr_assert_eq(cli_next(&c, &e), 0);
	cr_assert_eq(c.arg_count, 1);
	cr_assert_eq(cli_need_args(&c, 1, 1, &e), 0);
	cr_assert_eq(cli_need_args(&c, 2, 2, &e), -1);
	cr_assert_eq(cli_need_args(&c, 0, 0, &e), -1);
	cr_assert_str_eq(e.text, "'x' is one argument too many");
	cli_finish(&c, 0);
}

static void refused(const struct cli_spec *s, char *word, const char *why)
{
	struct cli c;
	struct err e;

	START(c, *s, word);
	cr_assert_eq(cli_next(&c, &e), -1, "%s", word);
	cr_assert_eq(e.kind, ERR_USAGE);
	cr_assert_str_eq(e.text, why);
	cli_finish(&c, 0);
}

Test(cli, wrong_words_are_named)
{
	refused(&spec, "--json", "unknown option --json");
	refused(&spec, "--json=x", "unknown option --json");
	refused(&spec, "-vZ", "unknown option -Z");
	refused(&spec, "--siz", "unknown option --siz");
	refused(&spec, "--size", "option --size needs a value");
	refused(&spec, "-s", "option -s needs a value");
	refused(&spec, "--progress=1", "option --progress takes no value");
	refused(&spec, "-j0", "-j: '0' is no number from 1 to 1024");
	refused(&spec, "--offset=x", "--offset: 'x' is no size");
	refused(&spec, "--offset=100", "--offset: 100 is no multiple of 512");
	refused(&spec, "--txg=", "--txg: '' is no number");
	refused(&fsck, "-H", "unknown option -H");
	refused(&fsck, "--txg=1", "unknown option --txg");
}

Test(cli, the_kind_of_error_decides_the_status)
{
	cr_assert_eq(cli_status(&spec, ERR_NONE), 0);
	cr_assert_eq(cli_status(&spec, ERR_USAGE), 2);
	cr_assert_eq(cli_status(&spec, ERR_CORRUPT), 1);
	cr_assert_eq(cli_status(&spec, ERR_INTERRUPTED), 1);
	cr_assert_eq(cli_status(&fsck, ERR_USAGE), 16);
	cr_assert_eq(cli_status(&fsck, ERR_INTERRUPTED), 32);
	cr_assert_eq(cli_status(&fsck, ERR_IO), 8);
}

Test(cli, a_message_is_one_line, .init = cr_redirect_stderr)
{
	struct cli c;
	struct err e;

	START(c, spec, "x");
	err_set(&e, ERR_NOTFOUND, "a\nb\033[2J: no such file");
	cr_assert_eq(cli_fail(&c, &e), 1);
	fflush(stderr);
	cr_assert_stderr_eq_str("tool: a\\x0ab\\x1b[2J: no such file\n");
}

Test(cli, help_and_version_leave_with_0, .init = cr_redirect_stdout, .exit_code = 0)
{
	struct cli c;
	struct err e;

	START(c, spec, "--help", "--nonsense");
	cr_assert_eq(cli_next(&c, &e), 77);
}

Test(cli, a_signal_sets_the_flag)
{
	struct cli c;
	struct err e;

	START(c, spec, "x");
	cr_assert_not(cli_interrupted());
	cr_assert_eq(cli_check_interrupt(&e), 0);
	raise(SIGINT);
	cr_assert(cli_interrupted());
	cr_assert_eq(cli_check_interrupt(&e), -1);
	cr_assert_eq(e.kind, ERR_INTERRUPTED);
	cli_finish(&c, 0);
}

Test(cli, lost_output_is_a_failure, .init = cr_redirect_stderr)
{
	struct cli c;

	START(c, spec, "x");
	cr_assert_not_null(freopen("/dev/full", "w", stdout));
	printf("data\n");
	cr_assert_eq(cli_finish(&c, 0), 1);
	fflush(stderr);
	cr_assert_stderr_eq_str("tool: standard output: No space left on device\n");
}

Test(progress, the_line)
{
	char line[PROGRESS_TEXT];

	progress_line("reading", UINT64_C(3) << 29, UINT64_C(3) << 30, 15000, line);
	cr_assert_str_eq(line, "reading 1.50G of 3G, 102M/s, 0:15 left");
	progress_line("reading", 0, 0, 0, line);
	cr_assert_str_eq(line, "reading 0B, 0B/s");
}
