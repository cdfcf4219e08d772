// The library in one header, for programs outside this project. Link `manyply::parallel`.
#pragma once

#include "core/base/node_count.h"  // NodeCount: exact counts up to 2^128 - 1
#include "core/base/result.h"      // Result, Error: no function throws for wrong input
#include "core/counting.h"         // count_nodes(), divide(): on the calling thread
#include "core/fen.h"              // parse_position(), to_fen()
#include "core/line.h"             // parse_line(): a position and the moves to it
#include "core/move_text.h"        // moves in SAN
#include "core/position.h"         // legal_moves()
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"  // run_job(): on all cores
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "parallel/progress.h"
