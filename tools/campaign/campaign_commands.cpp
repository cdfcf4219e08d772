#include "tools/campaign/campaign_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "core/base/stopped_within.h"
#include "core/known_values.h"
#include "tools/campaign/campaign_counting.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_store.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/report/document_members.h"

namespace manyply {
namespace {

// Flags that several campaign commands have.

/// The database that contains the campaigns.
struct DatabaseOptions {
  DatabaseAddress database;
};

/// The campaign that a command is about.
struct NameOptions {
  std::string name;
};

/// Stores `text` if it is a valid name; otherwise returns an error. Names have 1 to 64 characters:
/// letters, digits, ".", "_" and "-". The first character is not "-". So names never need quotes
/// and never look like flags.
std::optional<Error> take_campaign_name(std::string& name, const std::string& text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const bool good = !text.empty() && text.size() <= kLongest && text.front() != '-' &&
                    text.find_first_not_of(kLetters) == std::string::npos;
  if (!good)
    return bad_input("name", "'" + text +
                                 "' is not a name: 1 to 64 letters, digits, '.', '_' and '-', "
                                 "without '-' at the start");
  name = text;
  return std::nullopt;
}

constexpr std::array<Flag<DatabaseOptions>, 2> kDatabase{{
    {"--database", "CONNINFO",
     "libpq's connection string or URI, without a password (default: PGSERVICE, PGHOST and so on)",
     [](DatabaseOptions& options, const std::string& text) {
       options.database.conninfo = text;
       const auto parameters = connection_parameters(options.database);
       return parameters ? accepted() : std::optional(renamed(parameters.error(), "--database"));
     }},
    {"--insecure", nullptr, "connect to another machine without TLS",
     [](DatabaseOptions& options, const std::string&) {
       return options.database.insecure = true, accepted();
     }},
}};

constexpr Flag<NameOptions> kCampaignName{"NAME", "", "the campaign's name",
                                          [](NameOptions& options, const std::string& text) {
                                            return take_campaign_name(options.name, text);
                                          }};

/// The options of a command that needs only a campaign.
struct CampaignOptions : NameOptions, DatabaseOptions {};

struct CreateOptions : NameOptions, Question, CountOptions, Showing, DatabaseOptions {
  double verify = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
  std::uint64_t expected_workers = 1;
  std::uint64_t lease_seconds = kUsualLeaseSeconds;
};

constexpr std::uint64_t kMostWorkers = 1'000;
constexpr std::size_t kMostParts = 10'000;
/// With this number of parts per worker, workers end at about the same time. More parts would
/// repeat more work, because several parts need the same rows.
constexpr std::uint64_t kPartsPerWorker = 3;

/// Chooses parts at random, so that a worker cannot predict which of its counts are verified.
/// Returns one flag per part. `share` is from 0 to 1 and is rounded up to whole parts.
std::vector<bool> chosen_for_verification(std::size_t parts, double share) {
  std::vector<std::size_t> order(parts);
  for (std::size_t part = 0; part < parts; ++part) order[part] = part;
  std::random_device random;
  std::ranges::shuffle(order, random);
  order.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(parts))));
  std::vector<bool> chosen(parts);
  for (const std::size_t part : order) chosen[part] = true;
  return chosen;
}

int run_create(const CreateOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  if (options.depth.plies() < kMinCampaignDepth)
    return fail(io,
                bad_input("depth", fmt::format("campaigns need a depth of at least {}; for smaller "
                                               "depths, use 'perft count'",
                                               kMinCampaignDepth)));
  Progress progress;
  const Result<Workforce> by =
      Workforce::of(options.threads, options.kernel, {}, io.stop, &progress);
  if (!by) return fail(io, renamed(by.error(), "--threads"));
  const Position& root = question->line.here();

  // Connect before making the plan, which may take minutes. A wrong address then fails at once.
  CampaignStore store(options.database);
  if (auto error = store.connect(io.stop)) return fail(io, *error);
  PartCounter counter(
      {.root = root,
       .depth = options.depth.plies(),
       .most_bytes = matrix_bytes(options.memory_bytes),
       .parts = static_cast<std::size_t>(
           options.parts > 0 ? options.parts : kPartsPerWorker * options.expected_workers)},
      *by);
  {
    const ProgressDisplay display(progress, options.progress, io, "");
    if (const auto error = counter.prepare()) return fail(io, renamed(*error, "--memory"));
  }

  const PartsPlan expected = counter.expected();
  NewCampaign campaign;
  campaign.name = options.name;
  campaign.fen = to_fen(root, question->line.notation());
  campaign.depth = options.depth;
  campaign.plan = counter.plan();
  campaign.identity = parts_identity(root.board(), options.depth.plies(), campaign.plan);
  campaign.memory_bytes = process_bytes(expected.bytes);
  campaign.version = MANYPLY_VERSION;
  campaign.lease_seconds = static_cast<double>(options.lease_seconds);
  campaign.verify = options.verify;
  campaign.verify_other = options.verify_other;
  for (const PartShare& share : counter.shares()) campaign.weights.push_back(share.work);
  campaign.verified = chosen_for_verification(campaign.weights.size(), options.verify);
  if (auto error = store.create(campaign, io.stop)) return fail(io, *error);
  io.out << created_output(campaign, expected.seconds * by->count(), options.format);
  return kExitOk;
}

/// Accepts "all", or a percentage from "0%" to "100%".
std::optional<Error> take_verify(CreateOptions& options, const std::string& text) {
  if (text == "all") return options.verify = 1, accepted();
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  const bool good =
      error == std::errc() && std::string_view(rest, end) == "%" && percent >= 0 && percent <= 100;
  if (!good)
    return bad_input(
        "--verify", "'" + text + "' is not a share; give a percentage such as 5%, or the word all");
  return options.verify = percent / 100, accepted();
}

constexpr std::array<Choice<VerifyOther>, 3> kOthers{{
    {"worker", VerifyOther::kWorker},
    {"host", VerifyOther::kHost},
    {"kernel", VerifyOther::kKernel},
}};

constexpr std::array<Flag<CreateOptions>, 5> kCreating{{
    {"--verify", "SHARE",
     "count this share of the parts a second time, by other workers: 5%, or all (default: 0%)",
     take_verify},
    {"--verify-other", "WHAT",
     "what must differ the second time: worker, host or kernel (default: worker)",
     [](CreateOptions& options, const std::string& text) {
       return store(choose(kOthers, text), options.verify_other, "--verify-other");
     },
     names_of<kOthers>()},
    {"--workers", "N",
     "expected number of workers; there are at least three parts for each (default: 1)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, kMostWorkers), options.expected_workers, "--workers");
     }},
    {"--parts", "N", "number of parts, or more if memory requires it (default: by --workers)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, std::size_t{1}, kMostParts), options.parts, "--parts");
     }},
    {"--lease", "SECONDS", "a worker that is silent for this long loses its part (default: 120)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, 86'400), options.lease_seconds, "--lease");
     }},
}};

Command campaign_create_command() {
  using namespace flags;
  return make_command<CreateOptions>({.name = "campaign create",
                                      .summary = "Make a campaign: plan the parts of a count",
                                      .about = R"(
Makes the first plies of the count by configurations, and plans the parts of the campaign from them.
The plan is stored in the database. There are at least three parts for each worker, and more if
--memory requires it. Each worker must have this memory. A campaign gives a total, not a divide.
Needs the role manyply_owner.)",
                                      .examples = R"(
perft campaign create eleven 11 --verify 5% --workers 4
perft campaign create twelve 12 --memory 16G --verify all --workers 20
perft campaign create kiwi 9 --fen kiwipete --verify all)"},
                                     {kCampaignName, kDepth, kPosition, kMemory, kCreating,
                                      kThreads, kKernel, kDatabase, kReportFormat, kProgress},
                                     run_create);
}

struct WorkOptions : NameOptions, CountOptions, Showing, DatabaseOptions, DeviceOptions {
  std::string label;
};

/// Returns the machine's name for display; "unknown" if the system gives no name.
std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

int run_work(const WorkOptions& options, Io& io) {
  if (options.lists_devices) return print_devices(io);
  Result<std::unique_ptr<LastPliesDevice>> opened = opened_device(options);
  if (!opened) return fail(io, opened.error());
  const std::unique_ptr<LastPliesDevice> device = std::move(opened).value();
  const WorkSpec spec{.campaign = options.name,
                      .database = options.database,
                      .count_options = options,
                      .device = device.get(),
                      .host = host_name(),
                      .label = options.label,
                      .version = MANYPLY_VERSION};
  Progress progress;
  WorkStart started;
  started.campaign.name = options.name;
  Result<WorkEnd> end = cancelled();
  {
    const ProgressDisplay display(progress, options.progress, io, "");
    end = work(spec, io.stop, progress, [&](const WorkStart& start) {
      started = start;
      if (options.format == Format::kText) io.out << started_text(start) << std::flush;
    });
  }
  if (!end) return fail(io, end.error());
  io.out << ended_output(started, *end, options.format);
  if (end->state != CampaignState::kDisputed) return kExitOk;
  io.err << "perft: '" << options.name << "' is disputed; 'perft campaign explain " << options.name
         << "' finds the worker that was wrong\n";
  return kExitMismatch;
}

constexpr Flag<WorkOptions> kLabel{
    "--label", "TEXT",
    "text that 'campaign workers' shows beside the number and the host of this worker",
    [](WorkOptions& options, const std::string& text) { return options.label = text, accepted(); }};

Command campaign_work_command() {
  using namespace flags;
  return make_command<WorkOptions>(
      {.name = "campaign work",
       .summary = "Take part in a campaign: count parts until it is done",
       .about = R"(
Start any number of workers, on any number of machines. A worker makes the first plies once, and then
counts one part after the other with all its threads. On Ctrl-C and SIGTERM, a worker returns its unfinished
part. If a worker is killed, other workers get its part when the lease ends. While the database is
unavailable, a worker finishes its part and waits. Exit code: 0 when the campaign is done or stopped, 1 if it is
disputed, 2 on an error, 130 after a signal. Needs the role manyply_worker.)",
       .examples = R"(
perft campaign work eleven
perft campaign work eleven --threads 8 --memory 16G --label night)",
       .needs = {.ends_on_sigterm = true, .outlives_readers = true}},
      {kCampaignName, kLabel, kMemory, kDevice, kThreads, kKernel, kPin, kDatabase, kReportFormat,
       kProgress},
      run_work);
}

/// Replaces the first occurrence of `place` in the script by `text`. Precondition: the script
/// contains `place`.
void fill_in(std::string& script, std::string_view place, const std::string& text) {
  script.replace(script.find(place), place.size(), text);
}

int run_slurm(const CampaignOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(io, bad_input("/proc/self/exe", "does not give the path of this program"));

  std::string work = for_shell(self.native()) + " campaign work " + options.name;
  if (!options.database.conninfo.empty())
    work += " --database " + for_shell(options.database.conninfo);
  if (options.database.insecure) work += " --insecure";
  std::string script(slurm_script());
  fill_in(script, "%NAME%", options.name);
  fill_in(script, "%WORK%", work);
  io.out << script;
  return kExitOk;
}

Command campaign_slurm_command() {
  return make_command<CampaignOptions>(
      {.name = "campaign slurm",
       .summary = "Print a script that starts workers with Slurm's sbatch",
       .about = R"(
The script starts one worker on a node, with all of the node's processors and memory. It calls this
perft, which must exist on each node. Workers find the database by --database, if it is given here,
or by the environment, which sbatch passes on. Options of 'perft campaign work' may follow the
script's name. Killed workers are started again. A worker that is asked to stop returns its
unfinished part. Needs the role manyply_worker.)",
       .examples = R"(
perft campaign slurm eleven > eleven.sbatch
sbatch --array=1-100 eleven.sbatch --memory 64G)"},
      {kCampaignName, kDatabase}, run_slurm);
}

// The commands `perft campaign init`, `status`, `stop`, `continue` and `drop`.

int run_init(const DatabaseOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<CampaignStore::Versions> versions = store.init(io.stop);
  if (!versions) return fail(io, versions.error());
  if (versions->before == versions->after) {
    io.out << fmt::format("schema     version {}, unchanged\n", versions->after);
  } else {
    io.out << fmt::format("schema     version {}\n", versions->after);
  }
  return kExitOk;
}

struct StatusOptions : Showing, DatabaseOptions {
  std::vector<std::string> names;
};

/// Prints the state of the given campaigns. Without names, lists the names of all campaigns.
int run_status(const StatusOptions& options, Io& io) {
  CampaignStore store(options.database);
  if (options.names.empty()) {
    const Result<std::vector<std::string>> names = store.names(io.stop);
    if (!names) return fail(io, names.error());
    io.out << names_output(*names, options.format);
    return kExitOk;
  }
  int exit_code = kExitOk;
  for (const std::string& name : options.names) {
    const Result<CampaignStatus> status = store.status(name, io.stop);
    if (!status) return fail(io, status.error());
    const Result<std::vector<CampaignDispute>> disputes = store.disputes(name, io.stop);
    if (!disputes) return fail(io, disputes.error());
    io.out << status_output(*status, *disputes, options.format);
    if (status->campaign.state == CampaignState::kDisputed) exit_code = kExitMismatch;
  }
  return exit_code;
}

/// Stops or continues a campaign. Fails if the campaign is in dispute or done. Succeeds if it is
/// already in the requested state.
int set_running(const CampaignOptions& options, Io& io, bool running) {
  CampaignStore store(options.database);
  const Result<CampaignState> state = store.set_running(options.name, running, io.stop);
  if (!state) return fail(io, state.error());
  const CampaignState wanted = running ? CampaignState::kRunning : CampaignState::kStopped;
  if (*state != wanted)
    return fail(io,
                campaign_refusal(fmt::format("'{}' is {}; only {}", options.name, to_string(*state),
                                             running ? "a stopped campaign can continue"
                                                     : "a running campaign can be stopped")));
  io.out << text_line("state", to_string(*state));
  return kExitOk;
}

int run_stop(const CampaignOptions& options, Io& io) { return set_running(options, io, false); }
int run_continue(const CampaignOptions& options, Io& io) { return set_running(options, io, true); }

struct DropOptions : NameOptions, DatabaseOptions {
  bool yes = false;
};

int run_drop(const DropOptions& options, Io& io) {
  if (!options.yes)
    return fail(
        io,
        bad_input("--yes", "'" + options.name +
                               "' and all of its counts would be deleted; use --yes to confirm"));
  CampaignStore store(options.database);
  if (auto error = store.drop(options.name, io.stop)) return fail(io, *error);
  return kExitOk;
}

constexpr Flag<StatusOptions> kNames{
    "NAMES", nullptr, "the campaigns' names; without any, all names are listed",
    [](StatusOptions& options, const std::string& text) {
      return take_campaign_name(options.names.emplace_back(), text);
    }};
constexpr Flag<DropOptions> kYes{
    "--yes", nullptr, "confirm that the campaign and all of its counts are deleted",
    [](DropOptions& options, const std::string&) { return options.yes = true, accepted(); }};

Command campaign_init_command() {
  return make_command<DatabaseOptions>(
      {.name = "campaign init", .summary = "Prepare a database for campaigns", .about = R"(
Creates the schema manyply and three roles without login, which you grant to users:
manyply_owner (init, create, stop, continue, drop), manyply_worker (work), manyply_reader (status,
watch, workers, result, explain). The first time, this needs the right to create schemas and roles;
later, the role manyply_owner.)"},
      {kDatabase}, run_init);
}

Command campaign_status_command() {
  return make_command<StatusOptions>(
      {.name = "campaign status", .summary = "Show the progress of campaigns", .about = R"(
Exit code: 0, 1 if a campaign is disputed, 2 on an error. Needs the role manyply_reader.)"},
      {kNames, kDatabase, flags::kReportFormat}, run_status);
}

Command campaign_stop_command() {
  return make_command<CampaignOptions>(
      {.name = "campaign stop",
       .summary = "Stop a campaign: its workers end, and no counts are lost",
       .about = "Workers end within a sixth of a lease. Needs the role manyply_owner."},
      {kCampaignName, kDatabase}, run_stop);
}

Command campaign_continue_command() {
  return make_command<CampaignOptions>(
      {.name = "campaign continue",
       .summary = "Continue a campaign that was stopped",
       .about = "Does not start workers. Needs the role manyply_owner."},
      {kCampaignName, kDatabase}, run_continue);
}

Command campaign_drop_command() {
  return make_command<DropOptions>({.name = "campaign drop",
                                    .summary = "Delete a campaign and all of its counts",
                                    .about = "Needs the role manyply_owner."},
                                   {kCampaignName, kYes, kDatabase}, run_drop);
}

// The commands `perft campaign watch`, `workers`, `explain` and `result`.

struct WatchOptions : NameOptions, Showing, DatabaseOptions {
  std::uint64_t every_seconds = 5;
};

/// Prints a line after each change while the campaign runs, and its full status at the end. If the
/// database becomes unavailable, waits. If the database was never available, fails.
int run_watch(const WatchOptions& options, Io& io) {
  CampaignStore store(options.database);
  std::string last;
  bool is_away = false;
  for (bool first = true;; first = false) {
    const std::chrono::seconds pause(first ? 0 : options.every_seconds);
    if (stopped_within(pause, io.stop)) return fail(io, cancelled());
    const Result<CampaignStatus> status = store.status(options.name, io.stop);
    if (!status) {
      // If the database has answered before, it will probably become available again.
      if (status.error().code != ErrorCode::kUnavailable || last.empty())
        return fail(io, status.error());
      if (!is_away) io.err << "perft: " << status.error().to_string() << "; trying again\n";
      is_away = true;
      continue;
    }
    is_away = false;
    if (status->campaign.state == CampaignState::kRunning) {
      const std::string line = watched_output(*status, options.format);
      if (line != last) io.out << line << std::flush;
      last = line;
      continue;
    }
    const auto disputes = store.disputes(options.name, io.stop);
    if (!disputes) return fail(io, disputes.error());
    io.out << status_output(*status, *disputes, options.format);
    return status->campaign.state == CampaignState::kDisputed ? kExitMismatch : kExitOk;
  }
}

struct WorkersOptions : NameOptions, Showing, DatabaseOptions {
  std::optional<std::uint64_t> suspect;
  bool yes = false;
};

/// Lists the workers. With --suspect, shows one worker instead. With --yes, also withdraws all
/// counts of this worker.
int run_workers(const WorkersOptions& options, Io& io) {
  if (options.yes && !options.suspect) return fail(io, bad_input("--yes", "requires --suspect ID"));
  CampaignStore store(options.database);
  const Result<std::vector<CampaignWorker>> workers = store.workers(options.name, io.stop);
  if (!workers) return fail(io, workers.error());
  if (!options.suspect) {
    io.out << workers_output(*workers, options.format);
    return kExitOk;
  }
  const auto id = static_cast<std::int64_t>(*options.suspect);
  const auto at = std::ranges::find(*workers, id, &CampaignWorker::id);
  if (at == workers->end())
    return fail(io, bad_input("--suspect", fmt::format("'{}' has no worker {}", options.name, id)));
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  const auto parts = store.counted(*campaign, id, io.stop);
  if (!parts) return fail(io, parts.error());
  std::optional<std::int64_t> withdrawn;
  if (options.yes) {
    const auto gone = store.withdraw_worker(*campaign, id, "it is under suspicion", io.stop);
    if (!gone) return fail(io, gone.error());
    withdrawn = *gone;
  }
  io.out << suspect_output(*at, *parts, withdrawn, options.format);
  return kExitOk;
}

struct ExplainOptions : NameOptions, CountOptions, Showing, DatabaseOptions {
  bool recount = false;
  bool resolve = false;
};

/// Explains all disputes and damage. Returns exit code 1 if counts of wrong workers, or damaged
/// counts, were found but not withdrawn.
int run_explain(const ExplainOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  const Result<CampaignExplanation> found = explain_campaign(store, *campaign, options, io.stop);
  if (!found) return fail(io, found.error());

  std::int64_t withdrawn = 0;
  bool is_settled = true;
  const auto put_aside = [&](bool wanted, const auto& withdraw) -> std::optional<Error> {
    if (!wanted) return is_settled = false, std::nullopt;
    const Result<std::int64_t> gone = withdraw();
    if (!gone) return gone.error();
    withdrawn += *gone;
    return std::nullopt;
  };
  for (const CampaignWorker& wrong : found->wrong) {
    const auto error = put_aside(options.resolve, [&] {
      return store.withdraw_worker(*campaign, wrong.id, "it has counted wrongly before", io.stop);
    });
    if (error) return fail(io, *error);
  }
  for (const DamagedPart& part : found->damaged) {
    const auto error =
        put_aside(options.recount, [&] { return store.withdraw_part(*campaign, part, io.stop); });
    if (error) return fail(io, *error);
  }
  const Result<Campaign> then = store.find(options.name, io.stop);
  if (!then) return fail(io, then.error());
  io.out << explained_output(*then, *found, withdrawn, options.format);
  return is_settled ? kExitOk : kExitMismatch;
}

constexpr Flag<WatchOptions> kEvery{"--every", "SECONDS", "time between two queries (default: 5)",
                                    [](WatchOptions& options, const std::string& text) {
                                      return store(parse_number(text, 1, 86'400),
                                                   options.every_seconds, "--every");
                                    }};

constexpr std::array<Flag<WorkersOptions>, 2> kSuspecting{{
    {"--suspect", "ID", "list the parts that this worker has counted",
     [](WorkersOptions& options, const std::string& text) {
       return store(parse_number(text, 1, INT64_MAX), options.suspect, "--suspect");
     }},
    {"--yes", nullptr, "set all counts of that worker aside, and give it no more parts",
     [](WorkersOptions& options, const std::string&) { return options.yes = true, accepted(); }},
}};

constexpr std::array<Flag<ExplainOptions>, 2> kExplaining{{
    {"--recount", nullptr,
     "let workers count parts again if their counts were damaged in the database",
     [](ExplainOptions& options, const std::string&) {
       return options.recount = true, accepted();
     }},
    {"--resolve", nullptr,
     "set all counts of wrong workers aside, and give these workers no more parts",
     [](ExplainOptions& options, const std::string&) {
       return options.resolve = true, accepted();
     }},
}};

struct ResultOptions : NameOptions, Showing, DatabaseOptions {};

int run_result(const ResultOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  if (campaign->state == CampaignState::kDisputed) {
    io.err << "perft: '" << options.name << "' is disputed; 'perft campaign explain "
           << options.name << "' finds the worker that was wrong\n";
    return kExitMismatch;
  }
  if (campaign->state != CampaignState::kDone)
    return fail(io, campaign_refusal("'" + options.name + "' is not done but " +
                                     std::string(to_string(campaign->state))));
  const Result<NamedPosition> root = parse_position(campaign->fen);
  if (!root) return fail(io, root.error());
  const Result<CampaignResult> result = store.result(options.name, io.stop);
  if (!result) {
    const int code = fail(io, result.error());
    // kInternal means that the command has found inconsistent data. The exit code is then that of a
    // failed verification.
    return result.error().code == ErrorCode::kInternal ? static_cast<int>(kExitMismatch) : code;
  }
  io.out << result_output(*result, root->position, options.format);
  const auto known = known_value(root->position, campaign->depth);
  return compare_with_known(known, result->sum.nodes) == KnownVerdict::kMismatch ? kExitMismatch
                                                                                 : kExitOk;
}

Command campaign_watch_command() {
  return make_command<WatchOptions>({.name = "campaign watch",
                                     .summary = "Show the progress of a campaign until it ends",
                                     .about = R"(
Prints a line after each change, and at the end the output of 'perft campaign status'. While the
database is unavailable, this command waits. Exit code: 0 when the campaign is done or stopped, 1 if it is
disputed, 2 on an error, 130 on Ctrl-C. Needs the role manyply_reader.)"},
                                    {kCampaignName, kEvery, kDatabase, flags::kReportFormat},
                                    run_watch);
}

Command campaign_workers_command() {
  return make_command<WorkersOptions>(
      {.name = "campaign workers",
       .summary = "List the workers of a campaign, or set aside the counts of one worker",
       .about = R"(
With --suspect, lists the parts that one worker has counted. With --suspect and --yes, sets these
counts aside, so that other workers count the parts again. Needs the role manyply_reader; --yes
needs manyply_owner.)",
       .examples = R"(
perft campaign workers eleven
perft campaign workers eleven --suspect 7 --yes)"},
      {kCampaignName, kSuspecting, kDatabase, flags::kReportFormat}, run_workers);
}

Command campaign_explain_command() {
  using namespace flags;
  return make_command<ExplainOptions>(
      {.name = "campaign explain",
       .summary = "Find out which worker was wrong if workers disagree",
       .about = R"(
Counts each disputed part again on this machine, and lists the workers that were wrong. This takes
as long as the counts of a worker. Also lists counts that were changed in the database. --resolve
and --recount set wrong counts aside, so that other workers count the parts again. The campaign
continues when no part is disputed. Exit code: 0 if nothing is wrong or all wrong counts were set
aside, 1 if something is wrong, 2 on an error. Needs the role manyply_reader; --recount and
--resolve need manyply_owner.)",
       .examples = R"(
perft campaign explain eleven
perft campaign explain eleven --resolve)"},
      {kCampaignName, kExplaining, kMemory, kThreads, kKernel, kDatabase, kReportFormat},
      run_explain);
}

Command campaign_result_command() {
  using namespace flags;
  return make_command<ResultOptions>({.name = "campaign result",
                                      .summary = "Print the total of a campaign that is done",
                                      .about = R"(
Reads every count, checks that each part is stored once and unchanged, and adds up the counts. The
sum that the database computes must be equal. Exit code: 0, 1 if the total differs from the published
value, if two workers disagreed or if stored counts were damaged, 2 if the campaign is not done.
Needs the role manyply_reader.)"},
                                     {kCampaignName, kDatabase, kReportFormat}, run_result);
}

}  // namespace

std::vector<Command> campaign_commands() {
  return {
      {.name = "campaign",
       .summary = "Share one count among machines, through PostgreSQL",
       .about = R"(
A campaign is a count that is too long for one machine, divided into parts. Its state is in a
PostgreSQL database. 'perft campaign work' can be started on any number of machines, and killed at
any time. The commands find the database as all programs with libpq do: by the variables PGSERVICE,
PGHOST, PGDATABASE and PGUSER, or by --database. The password is read from a file, whose path is in
the variable PGPASSFILE.)",
       .examples = R"(
perft campaign init
perft campaign create eleven 11 --verify 5% --workers 4
perft campaign work eleven
perft campaign status eleven
perft campaign result eleven)",
       .parts = {campaign_init_command(), campaign_create_command(), campaign_work_command(),
                 campaign_status_command(), campaign_watch_command(), campaign_workers_command(),
                 campaign_result_command(), campaign_explain_command(), campaign_stop_command(),
                 campaign_continue_command(), campaign_slurm_command(), campaign_drop_command()}}};
}

}  // namespace manyply
