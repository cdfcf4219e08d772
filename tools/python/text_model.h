// Suites as the wheel has them: packed to two thirds of what zip makes of them. Each bit is coded
// by how likely it is, which is learnt from the text before it: several contexts say what followed
// them so far, and a mixture of these, whose weights are learnt, too, is the answer. In whole
// numbers alone: who unpacks has to find the same chances.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace manyply {

/// In the order in which they are packed: one after the other, each with a zero behind it.
inline constexpr std::array<std::string_view, 5> kPackedSuites{"classic", "deep", "chess960",
                                                               "tricky", "corpus"};

class TextModel {
 public:
  static constexpr std::uint32_t kCertain = 4'096;

  TextModel() : slots_(kContexts << kSlotBits) {
    for (auto& weights : weights_) weights.fill((1 << 16) / 3);
    logits_.fill(kMost);
    std::size_t chance = 0;
    for (int logit = kLeast; logit <= kMost; ++logit) {
      for (; std::cmp_less_equal(chance, chance_of(logit)); ++chance) logits_[chance] = logit;
    }
    look_back();
  }

  /// How likely it is that the next bit is set, as a part of kCertain: neither 0 nor all of it.
  [[nodiscard]] std::uint32_t chance() {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kContexts; ++i) {
      const std::uint32_t hash = (contexts_[i] + begun_ * 0x9E3779B1U) * 0x85EBCA6BU;
      current_[i] = (i << kSlotBits) + (hash >> (32 - kSlotBits));
      inputs_[i] = logits_[slots_[current_[i]].chance >> 4];
      sum += std::int64_t{inputs_[i]} * weights()[i];
    }
    mixed_ = chance_of(static_cast<int>(std::clamp<std::int64_t>(sum >> 16, kLeast, kMost)));
    return static_cast<std::uint32_t>(std::clamp(mixed_, 1, kScale - 1));
  }

  /// What it was; after chance().
  void learn(bool bit) {
    const int error = (bit ? kScale : 0) - mixed_;
    for (std::size_t i = 0; i < kContexts; ++i) {
      weights()[i] += (inputs_[i] * error + 512) >> 10;
      Slot& slot = slots_[current_[i]];
      slot.chance = static_cast<std::uint16_t>(slot.chance + ((bit ? 65'535 : 0) - slot.chance) *
                                                                 2 / (2 * slot.seen + 3));
      if (slot.seen < kMostSeen) ++slot.seen;
    }
    begun_ = begun_ * 2 + (bit ? 1 : 0);
    if (begun_ < 256) return;
    read(static_cast<char>(begun_ & 255));
    begun_ = 1;
    look_back();
  }

 private:
  static constexpr std::size_t kContexts = 5;
  static constexpr int kSlotBits = 16;
  static constexpr int kScale = kCertain;
  static constexpr int kLeast = -2047;  // 256 times ln(p / (1 - p))
  static constexpr int kMost = 2047;
  static constexpr int kMostSeen = 100;

  /// What followed a context, and the bits of a letter that are known already.
  struct Slot {
    std::uint16_t chance = 32'768;
    std::uint16_t seen = 0;
  };

  /// 4096 / (1 + e^(-logit / 256)), from every 128th.
  static int chance_of(int logit) {
    static constexpr std::array<std::int16_t, 33> kChances{
        1,    2,    4,    6,    10,   17,   27,   45,   74,   120,  194,
        311,  488,  747,  1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
        3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095};
    const int part = logit & 127;
    const auto at = static_cast<std::size_t>((logit >> 7) + 16);
    return (kChances[at] * (128 - part) + kChances[at + 1] * part + 64) >> 7;
  }

  std::array<int, kContexts>& weights() { return weights_[column_ * 256 + begun_]; }

  /// In a row of a suite, "8/8/… w - -,5,296 #tags", it is told where one is: a rank has eight
  /// squares.
  void read(char letter) {
    before_ = before_ << 8 | static_cast<std::uint8_t>(letter);
    ++length_;
    if (letter == '\n') {
      column_ = field_ = rank_ = length_ = 0;
    } else if (letter == ' ' || letter == ',') {
      ++field_;
      column_ = letter == ' ' ? 1 : 2;
      rank_ = length_ = 0;
    } else if (letter == '/') {
      ++rank_;
      length_ = 0;
    } else if (letter == '#') {
      column_ = 3;
    } else if (column_ == 0 && letter >= '1' && letter <= '8') {
      length_ += static_cast<std::uint32_t>(letter - '1');
    }
  }

  void look_back() {
    const std::uint32_t place = (column_ << 8 | std::min(field_, 15U) << 4) + length_;
    const std::uint32_t two = before_ & 0xFFFF;
    contexts_ = {0, two, before_ & 0xFF'FFFF, place << 8 | rank_, place * 0x2C1B3C6DU ^ two};
    for (std::uint32_t& context : contexts_) context *= 0x297A2D39U;
  }

  std::vector<Slot> slots_;
  std::array<std::array<int, kContexts>, 4 * 256> weights_{};
  std::array<int, kScale> logits_{};
  std::array<std::uint32_t, kContexts> contexts_{};
  std::array<std::size_t, kContexts> current_{};
  std::array<int, kContexts> inputs_{};
  int mixed_ = 0;
  std::uint32_t begun_ = 1;   ///< the bits of a letter so far, behind a 1
  std::uint32_t before_ = 0;  ///< the last four letters
  std::uint32_t column_ = 0;
  std::uint32_t field_ = 0;
  std::uint32_t rank_ = 0;
  std::uint32_t length_ = 0;  ///< of a rank, in squares; or of a field
};

}  // namespace manyply
