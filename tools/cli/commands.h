// The commands. Each returns an ExitCode, prints data to io.out and everything else to io.err.
#pragma once

#include "tools/cli/io.h"
#include "tools/cli/options.h"

namespace manyply {

int run_count(const Options& options, Io& io);
int run_verify(const Options& options, Io& io);
int run_compare(const Options& options, Io& io);
int run_zobrist(const Options& options, Io& io);
int run_suite(const Options& options, Io& io);
int run_check(const Options& options, Io& io);
int run_bisect(const Options& options, Io& io);
int run_gen(const Options& options, Io& io);
int run_perftree(const Options& options, Io& io);
int run_uci(const Options& options, Io& io);
int run_stats(const Options& options, Io& io);
int run_estimate(const Options& options, Io& io);
int run_unique(const Options& options, Io& io);
int run_signature(const Options& options, Io& io);

/// Says what went wrong, in one line on io.err, and returns the exit code for it.
int fail(Io& io, const Error& error);

}  // namespace manyply
