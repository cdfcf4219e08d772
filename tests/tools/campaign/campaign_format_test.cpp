// Tests what campaigns need no database for: their output, addresses of databases, stored bytes.
#include "tools/campaign/campaign_format.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tools/campaign/campaign_store.h"
#include "tools/campaign/postgres.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json rates_of(const std::vector<CountedPart>& history) {
  return json::parse(campaign_view({}, {}, {}, history, {}).rate);
}

TEST(CampaignFormat, LeavesOfAPartAreSpreadOverItsTime) {
  const json rates = rates_of(
      {{.begin = 100, .end = 120, .leaves = 60}, {.begin = 115, .end = 125, .leaves = 20}});
  EXPECT_EQ(rates["step_seconds"], 10);
  EXPECT_THAT(rates["leaves_per_second"], ElementsAre(3, 4, 1));
}

TEST(CampaignFormat, LongCampaignsHaveLongerSteps) {
  const json rates = rates_of({{.begin = 0, .end = 2400, .leaves = 4800}});
  EXPECT_EQ(rates["step_seconds"], 20);
  EXPECT_EQ(rates["leaves_per_second"].size(), 120U);
  EXPECT_EQ(rates["leaves_per_second"][119], 2);
}

TEST(CampaignFormat, WithoutPartsThereAreNoRates) {
  EXPECT_THAT(rates_of({})["leaves_per_second"], testing::IsEmpty());
}

json status_of(const CampaignStatus& status) {
  return json::parse(status_output(status, {}, Format::kJson));
}

TEST(CampaignFormat, TimeLeftIsThatOfTheWorkersThatCountNow) {
  CampaignStatus status;
  status.passes[0] = {.weight = 1, .weight_done = 0.25};
  status.passes[1] = {.weight = 0.5, .weight_done = 0};
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null());
  status.seconds = 100;
  status.leaves = 4000;
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null()) << "nobody counts";
  status.workers_counting = 2;
  EXPECT_EQ(status_of(status)["seconds_left"], 250);
  EXPECT_EQ(status_of(status)["leaves_per_second"], 80);
}

/// Returns the error message; empty if there is none.
std::string complaint_about(const std::string& conninfo) {
  const auto parameters = connection_parameters({.conninfo = conninfo});
  if (!parameters) return parameters.error().to_string();
  const auto insecure = why_insecure(*parameters);
  return insecure ? insecure->to_string() : "";
}

TEST(DatabaseAddress, WhatStaysOnThisMachineNeedsNoTls) {
  for (const char* conninfo :
       {"dbname=perft", "host=/var/run/postgresql", "host=@abstract", "host=localhost",
        "host=127.0.0.1", "host=127.8.9.1", "host=::1", "host=localhost,127.0.0.1",
        "host=db.example hostaddr=127.0.0.1", "postgresql:///perft"}) {
    EXPECT_EQ(complaint_about(conninfo), "") << conninfo;
  }
}

TEST(DatabaseAddress, OtherMachinesDo) {
  for (const char* conninfo : {"host=db.example", "host=192.168.1.7", "host=localhost,db.example",
                               "host=localhost hostaddr=10.0.0.1", "host=db.example sslmode=prefer",
                               "host=db.example sslmode=disable", "postgresql://db.example/perft",
                               "host=128.0.0.1", "host=127.0.0.1.example", "host=::2"}) {
    EXPECT_THAT(complaint_about(conninfo), HasSubstr("is another machine")) << conninfo;
  }
  for (const char* mode : {"require", "verify-ca", "verify-full"})
    EXPECT_EQ(complaint_about(std::string("host=db.example sslmode=") + mode), "");
}

TEST(DatabaseAddress, TakesNoPasswordsAndRepeatsNone) {
  for (const char* conninfo :
       {"host=localhost password=sesame", "postgresql://me:sesame@localhost/perft",
        "sslpassword=sesame", "password='sesame", "hots=sesame"}) {
    const std::string complaint = complaint_about(conninfo);
    EXPECT_NE(complaint, "") << conninfo;
    EXPECT_EQ(complaint.find("sesame"), std::string::npos) << complaint;
  }
  EXPECT_THAT(complaint_about("service=manyply"), HasSubstr("PGSERVICE"));
}

TEST(StoredBytes, LowBytesComeFirstAndComeBack) {
  const Hash128 hash{.low = 3, .high = 5};
  EXPECT_EQ(stored_hash(stored_bytes(hash)), hash);
  std::vector<std::byte> word(8);
  word[0] = std::byte{2};
  word[1] = std::byte{1};
  EXPECT_EQ(stored_bytes(std::uint64_t{0x0102}), word);
}

// The digest depends on the place, so the same count in another place has another digest.
TEST(StoredBytes, DigestsKnowTheirPlaceAndAllThatWasCounted) {
  const PartCount count{
      .nodes = NodeCount::from_words(1, 2), .rows = 3, .kernel_pairs = 4, .lane_pairs = 5};
  const Hash128 campaign{.low = 1, .high = 2};
  const Hash128 digest = part_digest(campaign, 3, count);
  EXPECT_EQ(part_digest(campaign, 3, count), digest);
  EXPECT_NE(part_digest(campaign, 4, count), digest);
  EXPECT_NE(part_digest({.low = 2, .high = 1}, 3, count), digest);
  PartCount other = count;
  other.nodes = NodeCount::from_words(2, 1);
  EXPECT_NE(part_digest(campaign, 3, other), digest);
  for (std::uint64_t PartCount::* const field :
       {&PartCount::rows, &PartCount::kernel_pairs, &PartCount::lane_pairs}) {
    other = count;
    ++(other.*field);
    EXPECT_NE(part_digest(campaign, 3, other), digest);
  }
}

}  // namespace
}  // namespace manyply
