/* Manyply for C, and for every language that can call C. It offers positions, legal moves, perft,
 * and all other questions that the command answers.
 *
 * The interface is stable. Structures that may grow begin with their size, and handles are opaque.
 * As long as MANYPLY_ABI stays the same, functions may be added but do not change. The header is
 * for C89 (with <stdint.h>) and C++.
 *
 * The functions never throw, print, exit or read the environment. Functions that have a parameter
 * `error` return a manyply_status and fill `error`, even for MANYPLY_OK. `error` may be NULL.
 *
 * Any thread may use a position, but only one thread at a time. Any thread may call
 * manyply_cancel_request() at any time, even during a count that it cancels.
 */
#ifndef MANYPLY_H
#define MANYPLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(MANYPLY_MAKES_DLL)
#define MANYPLY_API __declspec(dllexport)
#elif defined(__GNUC__)
#define MANYPLY_API __attribute__((visibility("default")))
#else
#define MANYPLY_API
#endif

#define MANYPLY_ABI 1

typedef enum manyply_status {
  MANYPLY_OK = 0,
  MANYPLY_INVALID_INPUT = 1, /* a text or an option is invalid */
  MANYPLY_ILLEGAL = 2,       /* the input is well-formed, but against the rules of chess */
  MANYPLY_OVERFLOW = 3,      /* a count exceeds 128 bits */
  MANYPLY_CANCELLED = 4,     /* stopped on request; there is no partial count */
  MANYPLY_UNAVAILABLE = 5,   /* memory or another resource is missing */
  MANYPLY_INTERNAL = 6,      /* a bug in Manyply */
  MANYPLY_TOO_SMALL = 7      /* a buffer is too small; the message has the required size */
} manyply_status;

/* An error and its place. Texts end with a 0 and may be truncated. */
typedef struct manyply_error {
  int32_t status; /* the manyply_status that the function returns */
  int32_t column; /* place in the parsed text, from 1; 0 = none */
  char field[32]; /* the invalid part of the input, such as "castling" or "depth"; may be empty */
  char message[216]; /* one line for users */
} manyply_error;

/* An exact number of move sequences: high * 2^64 + low. */
typedef struct manyply_count {
  uint64_t high;
  uint64_t low;
} manyply_count;

/* A move in UCI notation, such as "e7e8q", with a terminating 0. manyply_position_new() describes
 * how castling is written. */
typedef struct manyply_move {
  char text[8];
} manyply_move;

typedef struct manyply_row {
  manyply_move move;
  manyply_count count; /* perft(depth - 1) after the move */
} manyply_row;

typedef struct manyply_progress {
  size_t size;          /* size of this structure, set by the library */
  double leaves;        /* number of move sequences counted up to now */
  uint64_t visited;     /* number of generated positions */
  uint64_t units_done;  /* number of finished units of work, such as subtrees */
  uint64_t units_total; /* number of all units of work; 0 if not yet known */
  double fraction;      /* finished share of this phase, 0 to 1; negative if unknown */
  const char* phase;    /* name for display, usually "counting"; valid only during the callback */
} manyply_progress;

/* Called every progress_seconds on the thread that called the library, while other threads count.
 * If it returns a value other than 0, the count is cancelled. Counts of at most 3 plies, and counts
 * that end within progress_seconds, end without a call. */
typedef int (*manyply_progress_function)(const manyply_progress* progress, void* user);

typedef struct manyply_position manyply_position;
typedef struct manyply_cancel manyply_cancel;

#define MANYPLY_HASH_AUTO UINT64_MAX /* as large as useful, at most half of available memory */
#define MANYPLY_HASH_OFF 0           /* no table */

/* Methods for totals and divides.
 *
 * HASHED searches the tree, with a table unless hash_bytes is MANYPLY_HASH_OFF.
 *
 * CONFIGURATIONS computes matrices instead of searching the tree. A configuration is one side's
 * pieces and castling rights. A matrix stores the number of paths to each pair of configurations,
 * one per side. This method uses no table and no keys, so false matches are impossible. hash_bytes
 * limits the memory of the matrices. With MANYPLY_HASH_AUTO or MANYPLY_HASH_OFF, the limit is half
 * of the available memory. If the limit is too low, the result is MANYPLY_UNAVAILABLE. Even with
 * this method, counts of fewer than 3 plies search the tree.
 *
 * AUTO counts by configurations if the depth is at least 5, hash_bytes and key_seed have their
 * defaults, and the matrices fit into memory. Otherwise it does the same as HASHED. */
#define MANYPLY_METHOD_AUTO 0
#define MANYPLY_METHOD_HASHED 1
#define MANYPLY_METHOD_CONFIGURATIONS 2

/* Options of a count. Always initialise them with manyply_options_init(). */
typedef struct manyply_options {
  size_t size;
  int32_t threads;        /* number of threads; 0 = one per core that this process may use */
  uint32_t method;        /* MANYPLY_METHOD_AUTO or another MANYPLY_METHOD */
  uint64_t hash_bytes;    /* MANYPLY_HASH_AUTO, MANYPLY_HASH_OFF, or at least 65536 */
  uint64_t key_seed;      /* seed of the table's random keys */
  manyply_cancel* cancel; /* NULL, or a handle with which another thread can cancel the count */
  manyply_progress_function progress; /* called every progress_seconds; may be NULL */
  void* user;                         /* passed to `progress` */
  double progress_seconds;            /* from 0.001 to 3600; default 0.1 */
  const char* kernel;                 /* one of manyply_kernels(); NULL = the fastest */
  uint64_t samples;     /* number of random walks of an estimate, 100 to 10^12; 0 = 10000 */
  uint64_t sample_seed; /* seed of the random walks; default 1 */
  const char* temp_dir; /* ignored: no count writes files */
} manyply_options;

/* Returns the version of the library as a static text, such as "0.1.0". */
MANYPLY_API const char* manyply_version(void);
/* Returns the MANYPLY_ABI of the library that is running. */
MANYPLY_API int manyply_abi(void);

/* Makes a position. `fen` is a FEN of 4 to 6 fields, or a name such as "kiwipete". `moves`, such as
 * "e2e4 e7e5", are played from that position. `moves` may be NULL. *position is NULL after an
 * error.
 *
 * In moves of this position, castling is written as king takes rook ("e1h1") in three cases:
 * `chess960` is not 0; a king or rook with a castling right is not on its standard square; or the
 * FEN writes a castling right as the file of a rook. Otherwise, castling is written as the king's
 * move ("e1g1"). */
MANYPLY_API int manyply_position_new(const char* fen, const char* moves, int chess960,
                                     manyply_position** position, manyply_error* error);
MANYPLY_API void manyply_position_free(manyply_position* position); /* NULL is fine */
/* Makes an independent copy, which includes the moves that led to the position. Free it with
 * manyply_position_free(). *copy is NULL after an error. */
MANYPLY_API int manyply_position_copy(const manyply_position* position, manyply_position** copy,
                                      manyply_error* error);

/* Plays one move, such as "e2e4". After an error, the position is unchanged. */
MANYPLY_API int manyply_position_play(manyply_position* position, const char* move,
                                      manyply_error* error);
/* Writes the canonical FEN with a terminating 0, truncated to `capacity` bytes. Returns the full
 * length of the FEN without the 0. If this length is less than `capacity`, the text is complete.
 * 128 bytes are always enough. */
MANYPLY_API size_t manyply_position_fen(const manyply_position* position, char* text,
                                        size_t capacity);
/* The next two functions return 1 for yes and 0 for no. */
MANYPLY_API int manyply_position_white_to_move(const manyply_position* position);
MANYPLY_API int manyply_position_in_check(const manyply_position* position);
/* Writes at most `capacity` legal moves, sorted by their texts. Returns the number of all legal
 * moves, which is 0 in mate and stalemate. Room for 512 moves is always enough. */
MANYPLY_API size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                                          size_t capacity);

/* Converts a legal move such as "e7e8q" to SAN of the PGN standard, such as "e8=Q+". Returns
 * MANYPLY_TOO_SMALL if the text does not fit into `capacity` bytes. 16 bytes are always enough. */
MANYPLY_API int manyply_position_to_san(const manyply_position* position, const char* move,
                                        char* text, size_t capacity, manyply_error* error);
/* Finds the legal move that `san` means. Accepts any common notation. */
MANYPLY_API int manyply_position_from_san(const manyply_position* position, const char* san,
                                          manyply_move* move, manyply_error* error);

/* Lists the kernels that this machine can run. Writes at most `capacity` names, the fastest first,
 * and returns the number of all these kernels. The names stay valid. */
MANYPLY_API size_t manyply_kernels(const char** names, size_t capacity);

/* Sets all options to their defaults. The caller must pass sizeof(manyply_options) as `size`. */
MANYPLY_API void manyply_options_init(manyply_options* options, size_t size);

/* Counts the move sequences of `depth` plies. `depth` is 0 to 64. `options` may be NULL, here and
 * in all functions below. */
MANYPLY_API int manyply_perft(const manyply_position* position, int depth,
                              const manyply_options* options, manyply_count* count,
                              manyply_error* error);
/* For each legal move, counts the move sequences that start with this move. The rows have the order
 * of manyply_position_moves(). `depth` is 1 to 64. Sets *rows_written to the number of rows. If
 * the result is MANYPLY_TOO_SMALL, *rows_written is the required number of rows, and nothing was
 * counted. `total` may be NULL. */
MANYPLY_API int manyply_divide(const manyply_position* position, int depth,
                               const manyply_options* options, manyply_row* rows, size_t capacity,
                               size_t* rows_written, manyply_count* total, manyply_error* error);

/* Statistics of the moves in the last ply. Mates are not counted as checks. Checks and mates have
 * four kinds. The pieces that attack the king after the move determine the kind:
 *
 * - direct: only the moved piece
 * - discovered: one other piece
 * - direct and discovered: the moved piece and at least one other piece
 * - double discovered: two or more other pieces, but not the moved piece */
typedef struct manyply_statistics {
  size_t size;
  manyply_count nodes;
  manyply_count captures; /* including en passant */
  manyply_count en_passants;
  manyply_count castles;
  manyply_count promotions;
  manyply_count checks; /* sum of the four kinds */
  manyply_count direct_checks;
  manyply_count discovered_checks;
  manyply_count direct_discovered_checks;
  manyply_count double_discovered_checks;
  manyply_count mates; /* sum of the four kinds */
  manyply_count direct_mates;
  manyply_count discovered_mates;
  manyply_count direct_discovered_mates;
  manyply_count double_discovered_mates;
} manyply_statistics;
/* The caller must set `statistics->size` to sizeof(manyply_statistics). */
MANYPLY_API int manyply_stats(const manyply_position* position, int depth,
                              const manyply_options* options, manyply_statistics* statistics,
                              manyply_error* error);

typedef struct manyply_ply {
  uint64_t distinct;   /* number of distinct positions */
  manyply_count paths; /* number of move sequences to them */
} manyply_ply;
/* Counts the distinct positions of each ply from 0 to `depth`, and sets plies[i] for ply i. `plies`
 * has room for `capacity` elements; depth + 1 are required. The limit on memory is
 * options->hash_bytes, but at least 1 MiB. With MANYPLY_HASH_AUTO or MANYPLY_HASH_OFF, the limit is
 * half of the available memory. */
MANYPLY_API int manyply_unique(const manyply_position* position, int depth,
                               const manyply_options* options, manyply_ply* plies, size_t capacity,
                               manyply_error* error);

typedef struct manyply_interval {
  size_t size;
  double estimate;
  double low; /* bounds of the 99 % confidence interval */
  double high;
  double standard_error;
  uint64_t samples;
  int32_t exact;    /* if not 0, `estimate` is the exact count */
  int32_t reserved; /* 0 */
} manyply_interval;
/* Estimates the count. Use it for depths that are too large to count. The caller must set
 * `interval->size` to sizeof(manyply_interval). */
MANYPLY_API int manyply_estimate(const manyply_position* position, int depth,
                                 const manyply_options* options, manyply_interval* interval,
                                 manyply_error* error);

/* Counts with a table, then by configurations if possible, and then every subtree again without a
 * table. Compares these counts with each other and with the published count if there is one. Also
 * checks some of the table's keys. Sets *agrees to 1 if all counts are equal and no key is wrong,
 * otherwise to 0. The result is MANYPLY_OK in both cases. *count is the count without a table.
 * `count` may be NULL. options->hash_bytes must not be MANYPLY_HASH_OFF. manyply_answer() with mode
 * "verify" shows the differences. */
MANYPLY_API int manyply_verify(const manyply_position* position, int depth,
                               const manyply_options* options, int* agrees, manyply_count* count,
                               manyply_error* error);

/* Returns the document that `perft … --format json` prints. It is one JSON object. `mode` is
 * "count", "hashed", "unhashed", "configurations", "verify", "stats", "estimate" or "unique". Free
 * *document with manyply_text_free(). *document is NULL after an error. */
MANYPLY_API int manyply_answer(const manyply_position* position, const char* mode, int depth,
                               const manyply_options* options, char** document,
                               manyply_error* error);

/* Compares `divide`, the text of a divide that another program printed, with ours. The text may use
 * any notation. `depth` is 1 to 64. Returns a document as manyply_answer() does. In this document,
 * "rows" has one entry for each move of either divide. "causes" has the rules that the program
 * breaks in this position, as far as its moves show them. */
MANYPLY_API int manyply_diff(const manyply_position* position, int depth, const char* divide,
                             const manyply_options* options, char** document, manyply_error* error);
MANYPLY_API void manyply_text_free(char* text); /* NULL is fine */

/* Writes a count as decimal digits with a terminating 0, truncated to `capacity` bytes. Returns the
 * number of digits of the count. 40 bytes are always enough. */
MANYPLY_API size_t manyply_count_text(manyply_count count, char* text, size_t capacity);

/* A handle to cancel the counts whose options->cancel is this handle. manyply_cancel_new() returns
 * NULL if there is not enough memory. Any thread may call manyply_cancel_request(). The counts then
 * return MANYPLY_CANCELLED, and so do later counts with this handle. Free the handle when no count
 * uses it any more. */
MANYPLY_API manyply_cancel* manyply_cancel_new(void);
MANYPLY_API void manyply_cancel_request(manyply_cancel* cancel);
MANYPLY_API void manyply_cancel_free(manyply_cancel* cancel); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif /* MANYPLY_H */
