#include "tools/campaign/campaign_commands.h"

namespace manyply {

std::vector<Command> campaign_commands() {
  return {
      {.name = "campaign",
       .summary = "Share one count among machines, over PostgreSQL",
       .about = R"(
A campaign is a count that is too long for one machine, cut into ranges. Its state is in a
PostgreSQL database; 'perft campaign work' may be started on any number of machines, by whatever
starts processes there, and killed at any time. The database is found as every program that uses
libpq finds it: PGSERVICE, PGHOST, PGDATABASE, PGUSER, or --database; a password stands in the file
that PGPASSFILE names.)",
       .examples = R"(
perft campaign init
perft campaign create eleven 11 --verify 2% --workers 4
perft campaign work eleven
perft campaign status eleven
perft campaign result eleven)",
       .parts = {campaign_init_command(), campaign_create_command(), campaign_work_command(),
                 campaign_status_command(), campaign_watch_command(), campaign_workers_command(),
                 campaign_result_command(), campaign_explain_command(), campaign_stop_command(),
                 campaign_continue_command(), campaign_slurm_command(), campaign_drop_command()}}};
}

}  // namespace manyply
