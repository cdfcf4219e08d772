/* The declarations of the first libmanyply.so.1. This file must never change: it stands for the
 * header with which old programs were compiled. */
#ifndef MANYPLY_H
#define MANYPLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MANYPLY_API __attribute__((visibility("default")))
#else
#define MANYPLY_API
#endif

#define MANYPLY_ABI 1

typedef enum manyply_status {
  MANYPLY_OK = 0,
  MANYPLY_INVALID_INPUT = 1,
  MANYPLY_ILLEGAL = 2,
  MANYPLY_OVERFLOW = 3,
  MANYPLY_CANCELLED = 4,
  MANYPLY_UNAVAILABLE = 5,
  MANYPLY_INTERNAL = 6,
  MANYPLY_TOO_SMALL = 7
} manyply_status;

typedef struct manyply_error {
  int32_t status;
  int32_t column;
  char field[32];
  char message[216];
} manyply_error;

typedef struct manyply_count {
  uint64_t high;
  uint64_t low;
} manyply_count;

typedef struct manyply_move {
  char text[8];
} manyply_move;

typedef struct manyply_row {
  manyply_move move;
  manyply_count count;
} manyply_row;

typedef struct manyply_progress {
  size_t size;
  double leaves;
  uint64_t visited;
  uint64_t units_done;
  uint64_t units_total;
} manyply_progress;

typedef int (*manyply_progress_function)(const manyply_progress* progress, void* user);

typedef struct manyply_position manyply_position;
typedef struct manyply_cancel manyply_cancel;

#define MANYPLY_HASH_AUTO UINT64_MAX
#define MANYPLY_HASH_OFF 0

#define MANYPLY_METHOD_AUTO 0
#define MANYPLY_METHOD_HASHED 1
#define MANYPLY_METHOD_CONFIGURATIONS 2

typedef struct manyply_options {
  size_t size;
  int32_t threads;
  uint32_t method;
  uint64_t hash_bytes;
  uint64_t key_seed;
  manyply_cancel* cancel;
  manyply_progress_function progress;
  void* user;
  double progress_seconds;
} manyply_options;

MANYPLY_API const char* manyply_version(void);

MANYPLY_API int manyply_abi(void);

MANYPLY_API int manyply_position_new(const char* fen, const char* moves, int chess960,
                                     manyply_position** position, manyply_error* error);
MANYPLY_API void manyply_position_free(manyply_position* position);

MANYPLY_API int manyply_position_play(manyply_position* position, const char* move,
                                      manyply_error* error);

MANYPLY_API size_t manyply_position_fen(const manyply_position* position, char* text,
                                        size_t capacity);
MANYPLY_API int manyply_position_white_to_move(const manyply_position* position);
MANYPLY_API int manyply_position_in_check(const manyply_position* position);

MANYPLY_API size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                                          size_t capacity);

MANYPLY_API void manyply_options_init(manyply_options* options, size_t size);

MANYPLY_API int manyply_perft(const manyply_position* position, int depth,
                              const manyply_options* options, manyply_count* count,
                              manyply_error* error);

MANYPLY_API int manyply_divide(const manyply_position* position, int depth,
                               const manyply_options* options, manyply_row* rows, size_t capacity,
                               size_t* rows_written, manyply_count* total, manyply_error* error);

MANYPLY_API size_t manyply_count_text(manyply_count count, char* text, size_t capacity);

MANYPLY_API manyply_cancel* manyply_cancel_new(void);
MANYPLY_API void manyply_cancel_request(manyply_cancel* cancel);
MANYPLY_API void manyply_cancel_free(manyply_cancel* cancel);

#ifdef __cplusplus
}
#endif

#endif
