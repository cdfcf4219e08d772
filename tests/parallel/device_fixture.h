// Code that all tests of counts on a device share. The tests use the first OpenCL device, such as
// PoCL.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "parallel/device/opencl.h"

namespace manyply {

/// Skips its tests if there is no device.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = list_devices();
    if (!devices) GTEST_SKIP() << devices.error().to_string() << " (the tests use pocl-opencl-icd)";
  }
};

/// Returns a device that plays all stored plies, even small ones.
inline std::unique_ptr<LastPliesDevice> first_device(DeviceSpec spec = {}) {
  spec.number = 0;
  spec.least_stored_bytes = 0;
  return open_device(spec).value();
}

}  // namespace manyply
