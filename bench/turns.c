/*
 * turns ROUNDS NAME COMMAND [NAME COMMAND]...: runs the commands one after the other, ROUNDS times
 * over, so that a machine that drifts moves all of them alike, and prints a line for each:
 *
 *   NAME <tab> wall seconds <tab> user + system seconds <tab> peak KiB <tab> exit status
 *
 * Times are medians, the peak is the largest of any single process, the status the first that was
 * not 0. A command is run by sh -c with its output thrown away, unless TURNS_SHOW is set.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 32, ROUNDS_MAX = 99 };

struct command {
	const char *name, *text;
	double	    wall[ROUNDS_MAX], cpu[ROUNDS_MAX];
	long	    peak_kib;
	int	    status;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void child(const char *text)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	if (getenv("TURNS_SHOW") == NULL) {
		dup2(null, 1);
		dup2(null, 2);
	}
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	_exit(127);
}

static bool run(struct command *c, int round)
{
	struct rusage u;
	double	      start = now();
	pid_t	      pid = fork();
	int	      status;

	if (pid == 0)
		child(c->text);
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0) {
		perror("turns");
		return false;
	}
	c->wall[round] = now() - start;
	c->cpu[round] = seconds(u.ru_utime) + seconds(u.ru_stime);
	if (u.ru_maxrss > c->peak_kib)
		c->peak_kib = u.ru_maxrss;
	if (c->status == 0 && status != 0)
		c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

int main(int argc, char **argv)
{
	static struct command list[COMMANDS_MAX];
	int		      rounds = argc > 1 ? atoi(argv[1]) : 0, count = (argc - 2) / 2;

	if (rounds < 1 || rounds > ROUNDS_MAX || argc < 4 || argc % 2 != 0 ||
	    count > COMMANDS_MAX) {
		fputs("usage: turns ROUNDS NAME COMMAND [NAME COMMAND]...\n", stderr);
		return 2;
	}
	for (int i = 0; i < count; i++) {
		list[i].name = argv[2 + 2 * i];
		list[i].text = argv[3 + 2 * i];
	}
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < count; i++) {
			if (!run(&list[i], r))
				return 1;
		}
	}
	for (int i = 0; i < count; i++)
		printf("%s\t%.3f\t%.3f\t%ld\t%d\n", list[i].name, median(list[i].wall, rounds),
		       median(list[i].cpu, rounds), list[i].peak_kib, list[i].status);
	return 0;
}
