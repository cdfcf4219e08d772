#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parallel/manyply.h"
#include "tests/support/epd_suite.h"

namespace manyply {
namespace {

class CApi : public ::testing::Test {
 protected:
  ~CApi() override { manyply_position_free(position_); }

  int open(const char* fen, const char* moves = nullptr, int chess960 = 0) {
    manyply_position_free(position_);
    return manyply_position_new(fen, moves, chess960, &position_, &error_);
  }
  std::string fen() const {
    char text[128];
    EXPECT_LT(manyply_position_fen(position_, text, sizeof text), sizeof text);
    return text;
  }
  static std::string text(manyply_count count) {
    char digits[40];
    manyply_count_text(count, digits, sizeof digits);
    return digits;
  }
  std::string perft(int depth, const manyply_options* options = nullptr) {
    manyply_count count{7, 7};
    const int status = manyply_perft(position_, depth, options, &count, &error_);
    EXPECT_EQ(status, error_.status);
    return status == MANYPLY_OK ? text(count) : "status " + std::to_string(status);
  }
  /// All rows.
  std::vector<std::pair<std::string, std::string>> divide(int depth,
                                                          const manyply_options* options) {
    std::vector<manyply_row> rows(512);
    std::size_t size = 0;
    EXPECT_EQ(manyply_divide(position_, depth, options, rows.data(), rows.size(), &size, nullptr,
                             &error_),
              MANYPLY_OK);
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::size_t i = 0; i < size; ++i)
      texts.emplace_back(rows[i].move.text, text(rows[i].count));
    return texts;
  }
  static manyply_options options() {
    manyply_options options;
    manyply_options_init(&options, sizeof options);
    return options;
  }

  manyply_position* position_ = nullptr;
  manyply_error error_{};
};

TEST_F(CApi, SaysWhatItIs) {
  EXPECT_EQ(manyply_abi(), MANYPLY_ABI);
  EXPECT_THAT(manyply_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(CApi, CountsTheSuites) {
  for (const SuiteCase& item : load_suites_within(2'000'000)) {
    ASSERT_EQ(open(item.record.fen.c_str()), MANYPLY_OK) << item.where << error_.message;
    EXPECT_EQ(perft(item.expected.depth.plies()), item.expected.nodes.to_string()) << item.where;
  }
}

TEST_F(CApi, PositionsPlayMoves) {
  ASSERT_EQ(open("startpos", " e2e4  e7e5\tg1f3 "), MANYPLY_OK);
  EXPECT_EQ(fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1");
  EXPECT_EQ(manyply_position_white_to_move(position_), 0);
  EXPECT_EQ(manyply_position_play(position_, "b8c6", &error_), MANYPLY_OK);
  EXPECT_EQ(manyply_position_white_to_move(position_), 1);
  EXPECT_EQ(manyply_position_play(position_, "b8c6", &error_), MANYPLY_ILLEGAL);
  EXPECT_EQ(manyply_position_white_to_move(position_), 1);
  EXPECT_EQ(manyply_position_in_check(position_), 0);
  EXPECT_EQ(open("4k3/8/8/8/8/8/8/4K2r w - - 0 1"), MANYPLY_OK);
  EXPECT_EQ(manyply_position_in_check(position_), 1);
}

TEST_F(CApi, ErrorsTellFieldAndColumn) {
  EXPECT_EQ(open("4k3/8/8/8/8/8/8/R3K3 w K - 0 1"), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(position_, nullptr);
  EXPECT_STREQ(error_.field, "castling");
  EXPECT_STREQ(error_.message, "no rook on h1");
  EXPECT_EQ(error_.column, 24);
  EXPECT_EQ(open("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"), MANYPLY_ILLEGAL) << "Black is in check";
  EXPECT_EQ(open("startpos", "e2e4 e2e4"), MANYPLY_ILLEGAL);
  EXPECT_STREQ(error_.field, "moves");
  EXPECT_EQ(error_.column, 6);
  EXPECT_EQ(open(std::string(5000, 'x').c_str()), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_new("nonsense", nullptr, 0, &position_, nullptr),
            MANYPLY_INVALID_INPUT);
}

TEST_F(CApi, NothingIsWrittenBeyondABuffer) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  char text[8] = "1234567";
  EXPECT_EQ(manyply_position_fen(position_, text, 4), 56u);
  EXPECT_EQ(std::string(text, 8), std::string("rnb\0"
                                              "567\0",
                                              8));
  EXPECT_EQ(manyply_position_fen(position_, nullptr, 0), 56u);
  manyply_move moves[21] = {};
  EXPECT_EQ(manyply_position_moves(position_, moves, 2), 20u);
  EXPECT_STRNE(moves[1].text, "");
  EXPECT_STREQ(moves[2].text, "");
  EXPECT_EQ(manyply_position_moves(position_, nullptr, 0), 20u);

  manyply_row rows[20] = {};
  std::size_t size = 99;
  manyply_count total{};
  EXPECT_EQ(manyply_divide(position_, 2, nullptr, rows, 19, &size, &total, &error_),
            MANYPLY_TOO_SMALL);
  EXPECT_EQ(size, 20u);
  EXPECT_EQ(manyply_divide(position_, 2, nullptr, rows, 20, &size, &total, &error_), MANYPLY_OK);
  EXPECT_EQ(size, 20u);
  EXPECT_EQ(total.low, 400u);
  manyply_position_moves(position_, moves, 20);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_STREQ(rows[i].move.text, moves[i].text);
    EXPECT_EQ(rows[i].count.low, 20u);
  }
}

TEST_F(CApi, ForcedChess960WritesKingTakesRook) {
  const auto castles = [&](const char* text) {
    std::vector<manyply_move> moves(512);
    moves.resize(manyply_position_moves(position_, moves.data(), moves.size()));
    return std::ranges::any_of(
        moves, [&](const manyply_move& move) { return std::string(move.text) == text; });
  };
  ASSERT_EQ(open("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), MANYPLY_OK);
  EXPECT_TRUE(castles("e1g1"));
  ASSERT_EQ(open("4k3/8/8/8/8/8/8/4K2R w K - 0 1", nullptr, 1), MANYPLY_OK);
  EXPECT_TRUE(castles("e1h1"));
}

TEST_F(CApi, TotalsTakeTwoWords) {
  EXPECT_EQ(text({0, 0}), "0");
  EXPECT_EQ(text({3, 6547190948110871637u}), "61887423169239526485");
}

TEST_F(CApi, OptionsAreCheckedAndObeyed) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_options o = options();
  o.threads = 3;
  for (const std::uint64_t hash : {std::uint64_t{MANYPLY_HASH_OFF}, std::uint64_t{1} << 20}) {
    o.hash_bytes = hash;
    EXPECT_EQ(perft(5, &o), "4865609");
  }
  o.hash_bytes = 5;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_STREQ(error_.field, "hash_bytes");
  o = options();
  o.threads = -1;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_EQ(perft(65), "status 1");
  EXPECT_EQ(perft(-1), "status 1");
  EXPECT_EQ(perft(0), "1");
}

TEST_F(CApi, EveryMethodCountsTheSame) {
  ASSERT_EQ(open("kiwipete"), MANYPLY_OK);
  manyply_options o = options();
  for (const std::uint32_t method : std::to_array<std::uint32_t>(
           {MANYPLY_METHOD_AUTO, MANYPLY_METHOD_HASHED, MANYPLY_METHOD_CONFIGURATIONS})) {
    o.method = method;
    for (const std::uint64_t hash :
         {MANYPLY_HASH_AUTO, std::uint64_t{MANYPLY_HASH_OFF}, std::uint64_t{1} << 20}) {
      o.hash_bytes = hash;
      EXPECT_EQ(perft(5, &o), "193690690") << method << ' ' << hash;
      EXPECT_EQ(perft(2, &o), "2039") << method << ' ' << hash;
      EXPECT_EQ(divide(5, &o), divide(5, nullptr)) << method << ' ' << hash;
    }
  }
  o.method = 3;
  EXPECT_EQ(perft(5, &o), "status 1");
  EXPECT_STREQ(error_.field, "method");
}

TEST_F(CApi, AnOlderCallersShorterOptionsWork) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  alignas(manyply_options) unsigned char bytes[offsetof(manyply_options, hash_bytes)];
  auto* old = reinterpret_cast<manyply_options*>(bytes);
  manyply_options_init(old, sizeof bytes);
  const manyply_options whole = [&] {
    manyply_options copy{};
    std::memcpy(&copy, bytes, sizeof bytes);
    return copy;
  }();
  EXPECT_EQ(whole.size, sizeof bytes);
  EXPECT_EQ(perft(3, old), "8902");
}

TEST_F(CApi, ProgressIsToldAndMayCancel) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  struct Seen {
    int calls = 0;
    std::thread::id thread;
    std::uint64_t visited = 0;
  } seen;
  manyply_options o = options();
  o.progress_seconds = 0.005;
  o.user = &seen;
  o.progress = [](const manyply_progress* progress, void* user) {
    auto& seen = *static_cast<Seen*>(user);
    EXPECT_EQ(progress->size, sizeof(manyply_progress));
    EXPECT_GE(progress->visited, seen.visited);
    seen.visited = progress->visited;
    seen.thread = std::this_thread::get_id();
    return ++seen.calls == 3 ? 1 : 0;
  };
  EXPECT_EQ(perft(13, &o), "status 4");
  EXPECT_EQ(seen.calls, 3);
  EXPECT_EQ(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(perft(3, &o), "8902");
}

TEST_F(CApi, AnotherThreadMayCancel) {
  ASSERT_EQ(open("startpos"), MANYPLY_OK);
  manyply_cancel* cancel = manyply_cancel_new();
  manyply_options o = options();
  o.cancel = cancel;
  EXPECT_EQ(perft(3, &o), "8902");
  {
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      manyply_cancel_request(cancel);
    });
    EXPECT_EQ(perft(13, &o), "status 4");
  }
  EXPECT_EQ(perft(13, &o), "status 4") << "a request stays made";
  manyply_cancel_free(cancel);
}

TEST_F(CApi, NullIsRefusedNotFollowed) {
  manyply_count count{};
  EXPECT_EQ(manyply_perft(nullptr, 1, nullptr, &count, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_STREQ(error_.field, "position");
  EXPECT_EQ(manyply_position_new(nullptr, nullptr, 0, &position_, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_new("startpos", nullptr, 0, nullptr, &error_), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_play(nullptr, "e2e4", nullptr), MANYPLY_INVALID_INPUT);
  EXPECT_EQ(manyply_position_moves(nullptr, nullptr, 0), 0u);
  manyply_position_free(nullptr);
  manyply_cancel_free(nullptr);
  manyply_cancel_request(nullptr);
}

}  // namespace
}  // namespace manyply
