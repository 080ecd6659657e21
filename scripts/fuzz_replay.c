/*
 * Runs a fuzz target over files without a fuzzer: replay TARGET's inputs under any compiler and
 * sanitizer. Arguments are files and directories of files. The empty input is always run first.
 * Each input has ten seconds; a slower one ends the program by SIGALRM, its
 * name being the last printed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECONDS = 10 };

static unsigned long inputs;

static void run(const char *name, const uint8_t *data, size_t size)
{
	/*
	 * Unbuffered before the run: after a crash this is all there is to tell which input it was.
	 */
	fprintf(stderr, "\r%s\033[K", name);
	alarm(SECONDS);
	LLVMFuzzerTestOneInput(data, size);
	alarm(0);
	inputs++;
}

static void die(const char *name)
{
	fprintf(stderr, "replay: %s: %s\n", name, strerror(errno));
	exit(1);
}

/*
 * The bytes lie in a block of exactly their size, so that the sanitizer
 * sees the first one past them.
 */
static void run_file(const char *path, size_t size)
{
	FILE	*f = fopen(path, "rb");
	uint8_t *data = malloc(size > 0 ? size : 1);

	if (f == NULL || data == NULL)
		die(path);
	if (fread(data, 1, size, f) != size)
		die(path);
	fclose(f);
	run(path, data, size);
	free(data);
}

static void run_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		run_file(path, (size_t)st.st_size);
		return;
	}

	struct dirent **names;
	int		n = scandir(path, &names, NULL, alphasort);

	if (n < 0)
		die(path);
	for (int i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			run_file(name, stat(name, &st) == 0 ? (size_t)st.st_size : 0);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	run("(empty)", (const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	fprintf(stderr, "\r\033[K");
	printf("%lu inputs\n", inputs);
	return 0;
}
