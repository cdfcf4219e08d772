#include "tools/server/jobs/sha256.h"

#include <openssl/evp.h>

#include "core/base/check.h"

namespace manyply {

Sha256 sha256(std::string_view text) {
  Sha256 digest{};
  MANYPLY_CHECK(
      EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

}  // namespace manyply
