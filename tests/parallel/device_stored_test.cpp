// Stored plies that a device plays, compared with those of the processor, entry by entry.

#include <algorithm>
#include <tuple>

#include "parallel/device/opencl.h"
#include "parallel/matrix/matrix_stage.h"
#include "tests/parallel/device_fixture.h"
#include "tests/parallel/matrix_jobs.h"

namespace manyply {
namespace {

constexpr std::uint64_t kEnoughForStages = std::uint64_t{1} << 40;

class DeviceStored : public DeviceTest {};
class DeviceStoredSlow : public DeviceStored {};

using RowEntries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // column and paths

/// Returns the entries of a row, with the columns that number_of() returns.
template <typename NumberOf>
RowEntries row_entries(const RowView& row, const NumberOf& number_of) {
  RowEntries entries;
  const std::uint16_t* packed = row.paths;
  for (std::size_t i = 0; i < row.size; ++i) {
    packed = for_each_in_group(row.lanes[i], packed, [&](std::size_t lane, std::uint32_t paths) {
      entries.emplace_back(number_of(row.groups[i] * kGroupColumns + lane), paths);
    });
  }
  std::ranges::sort(entries);
  return entries;
}

auto sorted_captures(const MatrixStage& stage) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Bitboard, Bitboard>> all;
  for (const auto& chunk : stage.captures) {
    for (const EnPassantCapture& each : chunk)
      all.emplace_back(each.edge, each.column, each.paths, each.taker.pieces.pawns,
                       each.robbed.pieces.pawns);
  }
  std::ranges::sort(all);
  return all;
}

void expect_same_stage(const MatrixStage& stage, const MatrixStage& expected,
                       const MatrixPly& ply) {
  ASSERT_EQ(stage.mover, expected.mover);
  ASSERT_EQ(stage.rows.size(), expected.rows.size());
  ASSERT_EQ(stage.columns.size(), expected.columns.size());
  ASSERT_EQ(stage.row_was, expected.row_was);
  for (std::size_t column = 0; column < stage.columns.size(); ++column)
    ASSERT_EQ(stage.columns[column], ply.rows()[stage.column_was[column]]);
  const auto as_here = [&](std::size_t column) {
    return stage.columns.find(expected.columns[column]).value_or(UINT32_MAX);
  };
  for (std::size_t row = 0; row < stage.rows.size(); ++row) {
    ASSERT_EQ(stage.rows[row], expected.rows[row]);
    const auto same = [](std::size_t column) { return static_cast<std::uint32_t>(column); };
    ASSERT_EQ(row_entries(stage.matrix.row(row), same),
              row_entries(expected.matrix.row(row), as_here));
  }
  EXPECT_EQ(sorted_captures(stage), sorted_captures(expected));
}

/// Plays `plies` plies on the device and on the processor.
void compare_stored(LastPliesDevice& device, std::string_view fen, int plies) {
  const Workers workers(2);
  MatrixBudget memory(kEnoughForStages);
  MatrixStage stage(parse_position(fen).value().position.board());
  for (int ply = 1; ply <= plies; ++ply) {
    SCOPED_TRACE(std::string(fen) + ", ply " + std::to_string(ply));
    const MatrixPly now(std::move(stage), row_kernel_for(best_kernel()), workers, {});
    auto made = device.next_stage(now, workers, {}, memory);
    ASSERT_TRUE(made.has_value());
    expect_same_stage(*made, next_stage(now, workers, {}, memory), now);
    if (::testing::Test::HasFatalFailure()) return;
    stage = *std::move(made);
  }
}

TEST_F(DeviceStored, IsTheSameMatrix) {
  const auto device = first_device();
  compare_stored(*device, "startpos", 5);
  compare_stored(*device, "kiwipete", 3);
  for (const char* position : {"position3", "position4", "position5", "position6"})
    compare_stored(*device, position, 3);
}
TEST_F(DeviceStoredSlow, IsTheSameMatrix) {
  const auto device = first_device();
  compare_stored(*device, "startpos", 6);
  compare_stored(*device, "kiwipete", 4);
  compare_stored(*device, "position3", 5);
}

// DeviceCountSlow.WithoutABarrier runs this test under oclgrind.
TEST_F(DeviceStoredSlow, DISABLED_UnderOclgrindStored) {
  const auto device = first_device();
  compare_stored(*device, "startpos", 3);
}

TEST_F(DeviceStored, RulesOfBothSides) {
  const auto device = first_device();
  for (const std::string_view fen : kRulesOfBothSides) compare_stored(*device, fen, 4);
  for (const char* fen : {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
                          "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
                          "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9"})
    compare_stored(*device, fen, 3);
}

void compare_random_stored(int positions, std::uint64_t seed) {
  const auto device = first_device();
  const Chooser choose = choose_by_seed(seed);
  for (int i = 0; i < positions; ++i) compare_stored(*device, random_root(choose), 2);
}
TEST_F(DeviceStored, RandomPositions) { compare_random_stored(50, 53); }
TEST_F(DeviceStoredSlow, RandomPositions) { compare_random_stored(1000, 54); }

// If a ply does not fit, the processor plays it. So no part of this ply may stay in the budget or
// on the device.
TEST_F(DeviceStored, APlyThatDoesNotFitIsLeftToTheProcessor) {
  const Workers workers(1);
  MatrixBudget memory(kEnoughForStages);
  int left = 0;
  const auto device =
      open_device({.number = 0, .most_bytes = 1 << 20, .least_stored_bytes = 0}).value();
  MatrixStage stage(parse_position("kiwipete").value().position.board());
  for (int ply = 1; ply <= 3; ++ply) {
    const MatrixPly now(std::move(stage), row_kernel_for(best_kernel()), workers, {});
    const std::uint64_t used = memory.used();
    auto made = device->next_stage(now, workers, {}, memory);
    stage = next_stage(now, workers, {}, memory);
    if (made) {
      expect_same_stage(*made, stage, now);
      continue;
    }
    ++left;
    memory.give_back_to(used);
  }
  EXPECT_EQ(left, 1);
  compare_stored(*device, "startpos", 2);
}

// Starting kernels would take longer than playing a small ply.
TEST_F(DeviceStored, ASmallPlyIsLeftToTheProcessor) {
  const Workers workers(1);
  MatrixBudget memory(kEnoughForStages);
  const auto device = open_device({.number = 0}).value();
  const MatrixPly ply(MatrixStage(parse_position("startpos").value().position.board()),
                      row_kernel_for(best_kernel()), workers, {});
  EXPECT_FALSE(device->next_stage(ply, workers, {}, memory).has_value());
}

TEST_F(DeviceStored, InWindowsAndBatches) {
  const auto device =
      open_device({.number = 0, .most_rows = 100, .least_stored_bytes = 0, .window_columns = 256})
          .value();
  compare_stored(*device, "startpos", 4);
  compare_stored(*device, "kiwipete", 3);
}

}  // namespace
}  // namespace manyply
