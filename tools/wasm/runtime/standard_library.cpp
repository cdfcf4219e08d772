// Replaces parts of the standard libraries of C and C++. Has the bodies of
// tools/wasm/include/plain_streams. Also defines log2(), log(), exp2() and pow(), which call
// tools/wasm/runtime/math.h. So the linker omits libc's definitions of these four functions.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>

#include "tools/wasm/runtime/math.h"

namespace {

/// Writes to a descriptor without buffering, for streams that are used rarely.
class Unbuffered : public std::streambuf {
 public:
  explicit Unbuffered(int descriptor) : descriptor_(descriptor) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::streamsize done = 0;
    while (done < size) {
      const ssize_t written =
          write(descriptor_, text + done, static_cast<std::size_t>(size - done));
      if (written <= 0) break;
      done += written;
    }
    return done;
  }

 private:
  int descriptor_;
};

Unbuffered output(STDOUT_FILENO);
Unbuffered errors(STDERR_FILENO);

}  // namespace

_LIBCPP_BEGIN_NAMESPACE_STD

ostream cout(&output);
ostream cerr(&errors);

streamsize streambuf::xsputn(const char* text, streamsize size) {
  streamsize done = 0;
  while (done < size) {
    const streamsize some = std::min<streamsize>(size - done, put_end_ - put_next_);
    if (some > 0) {
      std::memcpy(put_next_, text + done, static_cast<size_t>(some));
      put_next_ += some;
      done += some;
    } else if (overflow(traits_type::to_int_type(text[done])) == traits_type::eof()) {
      break;
    } else {
      ++done;
    }
  }
  return done;
}

ostream& ostream::write(const char* text, streamsize size) {
  if (good() && rdbuf()->sputn(text, size) != size) setstate(badbit);
  return *this;
}

ostream& ostream::flush() {
  if (good() && rdbuf()->pubsync() != 0) setstate(badbit);
  return *this;
}

ostream& ostream::padded(string_view text) {
  const auto size = static_cast<streamsize>(text.size());
  const streamsize missing = std::max<streamsize>(width(0) - size, 0);
  const string padding(static_cast<size_t>(missing), ' ');
  if (!left_) write(padding.data(), missing);
  write(text.data(), size);
  if (left_) write(padding.data(), missing);
  return *this;
}

ostream& ostream::operator<<(long long value) { return padded(to_string(value)); }
ostream& ostream::operator<<(unsigned long long value) { return padded(to_string(value)); }
ostream& ostream::operator<<(double value) {
  array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", static_cast<int>(precision_), value);
  return padded(text.data());
}

bool istream::skip_blanks() {
  while (std::isspace(peek()) != 0) get();
  if (good()) return true;
  setstate(failbit);
  return false;
}

int istream::peek() {
  const int c = good() ? rdbuf()->sgetc() : EOF;
  if (c == EOF) setstate(eofbit);
  return c;
}

int istream::get() {
  const int c = peek();
  if (c != EOF) rdbuf()->sbumpc();
  return c;
}

istream& istream::operator>>(string& word) {
  if (!skip_blanks()) return *this;
  word.clear();
  while (peek() != EOF && std::isspace(peek()) == 0) word += static_cast<char>(get());
  return *this;
}

istream& istream::operator>>(char& c) {
  if (skip_blanks()) c = static_cast<char>(get());
  return *this;
}

string istream::number() {
  string text;
  if (skip_blanks())
    while (peek() != EOF && std::strchr("+-0123456789.eE", peek()) != nullptr)
      text += static_cast<char>(get());
  return text;
}

istream& istream::operator>>(double& value) {
  const string text = number();
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') setstate(failbit);
  return *this;
}

istream& getline(istream& in, string& line, char end) {
  line.clear();
  if (in.peek() == EOF) in.setstate(ios::failbit);
  for (int c = 0; in.good() && (c = in.get()) != EOF && c != end;) line += static_cast<char>(c);
  return in;
}

void stringbuf::str(string text) {
  text_ = std::move(text);
  setg(text_.data(), text_.data() + text_.size());
}

streamsize stringbuf::xsputn(const char* text, streamsize size) {
  const size_t read = text_.size() - static_cast<size_t>(in_avail());
  text_.append(text, static_cast<size_t>(size));
  setg(text_.data() + read, text_.data() + text_.size());
  return size;
}

string_stream::string_stream() : istream(nullptr) { rdbuf(&text_); }
string_stream::string_stream(string text) : string_stream() { str(std::move(text)); }

ifstream::basic_ifstream(const string& path) {
  const unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) {
    setstate(failbit);
    return;
  }
  string text;
  array<char, 4096> some{};
  while (const size_t count = std::fread(some.data(), 1, some.size(), file.get()))
    text.append(some.data(), count);
  str(std::move(text));
}

_LIBCPP_END_NAMESPACE_STD

extern "C" {

double log2(double x) { return manyply::wasm::log2_of(x); }
double log(double x) { return manyply::wasm::log_of(x); }
double exp2(double x) { return manyply::wasm::exp2_of(x); }
double pow(double base, double exponent) { return manyply::wasm::pow_of(base, exponent); }

}  // extern "C"
