/* Manyply for C, and for every language that can call C: positions, legal moves, perft, and all
 * other questions that the command answers.
 *
 * Stable: structures that may grow begin with their size, handles are opaque, functions are only
 * ever added while MANYPLY_ABI stays the same. C89 (with <stdint.h>) and C++. No function throws,
 * prints, exits or reads the environment. Functions that can fail return a manyply_status and fill
 * `error`, which may be NULL. Handles may be used by any thread, but one handle by one thread at a
 * time.
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
  MANYPLY_INVALID_INPUT = 1, /* text or option that makes no sense */
  MANYPLY_ILLEGAL = 2,       /* well-formed, but against the rules of chess */
  MANYPLY_OVERFLOW = 3,      /* a count does not fit 128 bits */
  MANYPLY_CANCELLED = 4,     /* stopped on request: there is no partial count */
  MANYPLY_UNAVAILABLE = 5,   /* memory or another thing that is not there */
  MANYPLY_INTERNAL = 6,      /* an error in Manyply */
  MANYPLY_TOO_SMALL = 7      /* a buffer; what it would have needed is told */
} manyply_status;

/* What went wrong and where. Texts end with a 0 and may be cut. */
typedef struct manyply_error {
  int32_t status;
  int32_t column;    /* in the text that was read, from 1; 0 = none */
  char field[32];    /* "castling", "moves" */
  char message[216]; /* for people, one line */
} manyply_error;

/* An exact number of paths: high * 2^64 + low. */
typedef struct manyply_count {
  uint64_t high;
  uint64_t low;
} manyply_count;

/* UCI text, "e7e8q"; castling in Chess960 positions is king takes rook. */
typedef struct manyply_move {
  char text[8];
} manyply_move;

typedef struct manyply_row {
  manyply_move move;
  manyply_count count; /* paths behind the move */
} manyply_row;

typedef struct manyply_progress {
  size_t size; /* of this structure, as the library knows it */
  double leaves;
  uint64_t visited;     /* positions generated */
  uint64_t units_done;  /* subtrees finished, */
  uint64_t units_total; /* of so many; 0 until that is known */
  double fraction;      /* of this phase, 0 to 1; below 0 while that is not known */
  const char* phase;    /* "counting", most of the time; valid during the call */
} manyply_progress;

/* Called now and then by the thread that counts, until it returns something else than 0: that
 * cancels the count. What takes no time is not told of. */
typedef int (*manyply_progress_function)(const manyply_progress* progress, void* user);

typedef struct manyply_position manyply_position;
typedef struct manyply_cancel manyply_cancel;

#define MANYPLY_HASH_AUTO UINT64_MAX /* what the count can use, at most half of the free memory */
#define MANYPLY_HASH_OFF 0

/* How totals and divides are counted. By configurations there is no table and no key, so no false
 * match is possible; hash_bytes is then the most that matrices may take, and a count that they are
 * too small for goes through the tree. Auto means by configurations at depths of 5 and more, if
 * nothing is said of a table: hash_bytes and key_seed are the defaults. */
#define MANYPLY_METHOD_AUTO 0
#define MANYPLY_METHOD_HASHED 1
#define MANYPLY_METHOD_CONFIGURATIONS 2

/* How to count. Always set by manyply_options_init first. */
typedef struct manyply_options {
  size_t size;
  int32_t threads;        /* 0 = every core this process may use */
  uint32_t method;        /* MANYPLY_METHOD_AUTO or another one */
  uint64_t hash_bytes;    /* MANYPLY_HASH_AUTO, MANYPLY_HASH_OFF or a number of at least 65536 */
  uint64_t key_seed;      /* of the table's random keys */
  manyply_cancel* cancel; /* NULL, or what another thread may cancel the count by */
  manyply_progress_function progress; /* NULL, or called every progress_seconds */
  void* user;                         /* handed to `progress` */
  double progress_seconds;            /* 0.1 */
  const char* kernel;                 /* NULL = the fastest, or one of manyply_kernels */
  uint64_t samples;                   /* of an estimate; 0 = 10000 */
  uint64_t sample_seed;               /* of its random walks; 1 */
  const char* temp_dir; /* for distinct positions beyond hash_bytes; NULL = they are an error */
} manyply_options;

/* "0.1.0"; a static text. */
MANYPLY_API const char* manyply_version(void);
/* MANYPLY_ABI of the library that is running. */
MANYPLY_API int manyply_abi(void);

/* `fen` is a FEN of 4 to 6 fields, or a name such as "kiwipete"; `moves` are played from there,
 * "e2e4 e7e5", and may be NULL. `chess960` other than 0 writes castling as king takes rook even if
 * the position does not need it. *position is NULL after an error. */
MANYPLY_API int manyply_position_new(const char* fen, const char* moves, int chess960,
                                     manyply_position** position, manyply_error* error);
MANYPLY_API void manyply_position_free(manyply_position* position); /* NULL is fine */
/* Another handle of the same position, with the moves that led there. */
MANYPLY_API int manyply_position_copy(const manyply_position* position, manyply_position** copy,
                                      manyply_error* error);

/* Plays one move, or leaves the position as it is. */
MANYPLY_API int manyply_position_play(manyply_position* position, const char* move,
                                      manyply_error* error);
/* The canonical FEN, cut to `capacity` bytes with its 0. Returns its whole length without the 0:
 * the text is complete if that is below `capacity`. 128 bytes always are enough. */
MANYPLY_API size_t manyply_position_fen(const manyply_position* position, char* text,
                                        size_t capacity);
MANYPLY_API int manyply_position_white_to_move(const manyply_position* position);
MANYPLY_API int manyply_position_in_check(const manyply_position* position);
/* Writes at most `capacity` legal moves, sorted by their texts, and returns how many there are: 0
 * in mate and stalemate. 512 always are enough. */
MANYPLY_API size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                                          size_t capacity);

/* A legal move, "e7e8q", as the PGN standard writes it, "e8=Q+". 16 bytes always are enough;
 * MANYPLY_TOO_SMALL if they are not there. */
MANYPLY_API int manyply_position_to_san(const manyply_position* position, const char* move,
                                        char* text, size_t capacity, manyply_error* error);
/* And back: the legal move that `san` means, in any way that people write it. */
MANYPLY_API int manyply_position_from_san(const manyply_position* position, const char* san,
                                          manyply_move* move, manyply_error* error);

/* The kernels that count on this machine, the fastest first: writes at most `capacity` names, which
 * stay valid, and returns how many there are. */
MANYPLY_API size_t manyply_kernels(const char** names, size_t capacity);

/* Sets the defaults; `size` is sizeof(manyply_options). */
MANYPLY_API void manyply_options_init(manyply_options* options, size_t size);

/* Paths of `depth` plies, 0 to 64. `options` may be NULL. */
MANYPLY_API int manyply_perft(const manyply_position* position, int depth,
                              const manyply_options* options, manyply_count* count,
                              manyply_error* error);
/* The same behind each legal move, in the order of manyply_position_moves; `depth` is at least 1.
 * *rows_written is the number of rows: of those there are, if MANYPLY_TOO_SMALL is returned. */
MANYPLY_API int manyply_divide(const manyply_position* position, int depth,
                               const manyply_options* options, manyply_row* rows, size_t capacity,
                               size_t* rows_written, manyply_count* total, manyply_error* error);

/* What the moves of the last ply are. A check or mate is of exactly one kind, by who attacks the
 * king; a mate is not counted among the checks. */
typedef struct manyply_statistics {
  size_t size;
  manyply_count nodes;
  manyply_count captures; /* en passant included */
  manyply_count en_passants;
  manyply_count castles;
  manyply_count promotions;
  manyply_count checks; /* of the four kinds */
  manyply_count direct_checks;
  manyply_count discovered_checks;
  manyply_count direct_discovered_checks;
  manyply_count double_discovered_checks;
  manyply_count mates; /* of the four kinds */
  manyply_count direct_mates;
  manyply_count discovered_mates;
  manyply_count direct_discovered_mates;
  manyply_count double_discovered_mates;
} manyply_statistics;
/* `statistics->size` is set by the caller: sizeof(manyply_statistics). */
MANYPLY_API int manyply_stats(const manyply_position* position, int depth,
                              const manyply_options* options, manyply_statistics* statistics,
                              manyply_error* error);

typedef struct manyply_ply {
  uint64_t distinct;   /* positions */
  manyply_count paths; /* that lead to them */
} manyply_ply;
/* The distinct positions of each ply, 0 to `depth`: `plies` has room for depth + 1.
 * options->hash_bytes is the most memory that they take. */
MANYPLY_API int manyply_unique(const manyply_position* position, int depth,
                               const manyply_options* options, manyply_ply* plies, size_t capacity,
                               manyply_error* error);

typedef struct manyply_interval {
  size_t size;
  double estimate;
  double low; /* of the interval that has the count with a confidence of 99 % */
  double high;
  double standard_error;
  uint64_t samples;
  int32_t exact;    /* other than 0: nothing was left to chance, `estimate` is the count */
  int32_t reserved; /* 0 */
} manyply_interval;
/* For depths that nobody can count. `interval->size` is set by the caller. */
MANYPLY_API int manyply_estimate(const manyply_position* position, int depth,
                                 const manyply_options* options, manyply_interval* interval,
                                 manyply_error* error);

/* Counts hashed, then every subtree again without a table. *agrees is 0 if anything differs: then
 * *count, which may be NULL, is what was counted without keys. The document of mode "verify" says
 * what differs. */
MANYPLY_API int manyply_verify(const manyply_position* position, int depth,
                               const manyply_options* options, int* agrees, manyply_count* count,
                               manyply_error* error);

/* What `perft … --format json` prints of a question: one JSON object. `mode` is "count", "hashed",
 * "unhashed", "configurations", "verify", "stats", "estimate" or "unique". manyply_text_free()
 * takes *document, which is NULL after an error. */
MANYPLY_API int manyply_answer(const manyply_position* position, const char* mode, int depth,
                               const manyply_options* options, char** document,
                               manyply_error* error);

/* Compares the divide that another program printed, in whatever notation, with ours: a document as
 * above. "rows" has one for each move of either side, "causes" the rules that are broken there,
 * as far as the moves tell. */
MANYPLY_API int manyply_diff(const manyply_position* position, int depth, const char* divide,
                             const manyply_options* options, char** document, manyply_error* error);
MANYPLY_API void manyply_text_free(char* text); /* NULL is fine */

/* Decimal digits, as manyply_position_fen does; 40 bytes always are enough. */
MANYPLY_API size_t manyply_count_text(manyply_count count, char* text, size_t capacity);

/* A request to stop, which any thread may make while others count with it; it stays made. NULL when
 * out of memory. Free it when no count uses it any more. */
MANYPLY_API manyply_cancel* manyply_cancel_new(void);
MANYPLY_API void manyply_cancel_request(manyply_cancel* cancel);
MANYPLY_API void manyply_cancel_free(manyply_cancel* cancel); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif /* MANYPLY_H */
