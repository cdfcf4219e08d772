/* Uses Manyply from C as a binding of another language would, and prints its counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manyply.h"

static void check(int status, const manyply_error* error) {
  if (status == MANYPLY_OK) return;
  fprintf(stderr, "manyply: %s: %s (column %d)\n", error->field, error->message,
          (int)error->column);
  exit(1);
}

/* Cancels at the second call. */
static int impatient(const manyply_progress* progress, void* user) {
  (void)progress;
  return ++*(int*)user >= 2;
}

int main(void) {
  manyply_error error;
  manyply_options options;
  manyply_position* position = NULL;
  manyply_count count;
  manyply_row rows[512];
  char text[128];
  size_t i, size = 0;
  int calls = 0, status;

  printf("manyply %s, ABI %d\n", manyply_version(), manyply_abi());
  check(manyply_position_new("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", "f3h1", 0, &position, &error),
        &error);
  manyply_position_fen(position, text, sizeof text);
  printf("fen %s\n", text);

  manyply_options_init(&options, sizeof options);
  options.threads = 2;
  check(manyply_perft(position, 5, &options, &count, &error), &error);
  manyply_count_text(count, text, sizeof text);
  printf("perft(5) %s\n", text);
  check(manyply_divide(position, 4, &options, rows, 512, &size, &count, &error), &error);
  for (i = 0; i < size; ++i) {
    manyply_count_text(rows[i].count, text, sizeof text);
    printf("%s: %s\n", rows[i].move.text, text);
  }
  manyply_position_free(position);

  status = manyply_position_new("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", NULL, 0, &position, &error);
  printf("status %d, %s: %s (column %d)\n", status, error.field, error.message, (int)error.column);

  check(manyply_position_new("startpos", NULL, 0, &position, &error), &error);
  options.progress = impatient;
  options.user = &calls;
  options.progress_seconds = 0.01;
  status = manyply_perft(position, 12, &options, &count, &error);
  printf("status %d after %d calls\n", status, calls);
  manyply_position_free(position);
  return 0;
}
