#include <gmock/gmock.h>

#include "tools/campaign/postgres.h"

namespace manyply {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace manyply
