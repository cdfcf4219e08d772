// Implements exceptions for WebAssembly, because Debian's libc++abi lacks them. Code that clang
// compiles with -fwasm-exceptions calls these functions of the Itanium C++ ABI. There is only one
// thread.
//
// A function with handlers calls _Unwind_CallPersonality with the caught exception.
// _Unwind_CallPersonality finds the handler for the exception in the calling function's table
// (LSDA).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

namespace {

/// The header of an exception. The thrown object follows it in memory.
struct alignas(16) Thrown {
  const std::type_info* type;
  void* (*destroy)(void*);  // in this ABI, destructors return their object
  void* as_caught;          // the object that the handler receives; handler_for() sets it
  Thrown* below;            // the exception of the enclosing handler; null if none
  int references;           // number of exception_ptrs, plus one for all handlers
  int handlers;             // number of handlers that are running for the exception
  bool flies_again;         // the handler has rethrown the exception

  [[nodiscard]] void* object() { return this + 1; }
  [[nodiscard]] static Thrown* of(void* object) { return static_cast<Thrown*>(object) - 1; }
};

Thrown* handled = nullptr;  // the innermost exception that is being handled
unsigned in_flight = 0;

void release(Thrown* thrown) {
  if (--thrown->references > 0) return;
  if (thrown->destroy != nullptr) thrown->destroy(thrown->object());
  std::free(thrown);
}

[[noreturn]] void fly(Thrown* thrown) {
  constexpr int kCppException = 0;  // the tag __cpp_exception
  ++in_flight;
  __builtin_wasm_throw(kCppException, thrown);
}

// Type information as laid out by the ABI (2.9.5). The virtual table pointer of a type_info object
// shows to which of these classes the object belongs.
struct SingleBase : std::type_info {
  const std::type_info* base;
};
struct BaseOf {
  const std::type_info* type;
  long offset_and_flags;
};
struct ManyBases : std::type_info {
  unsigned flags;
  unsigned count;
  BaseOf bases[1];  // NOLINT(modernize-avoid-c-arrays): has `count` elements
};
extern "C" const void* const _ZTVN10__cxxabiv120__si_class_type_infoE[];
extern "C" const void* const _ZTVN10__cxxabiv121__vmi_class_type_infoE[];

bool is_of(const std::type_info* type, const void* const* virtual_functions) {
  const void* own = nullptr;
  std::memcpy(&own, static_cast<const void*>(type), sizeof own);
  return own == virtual_functions + 2;  // after the offset to top and the type information
}

/// Returns the subobject of type `wanted` in `object`; null if there is none. `object` has the type
/// `type`.
void* part_of(void* object, const std::type_info* type, const std::type_info* wanted) {
  if (*type == *wanted) return object;
  if (is_of(type, _ZTVN10__cxxabiv120__si_class_type_infoE))
    return part_of(object, static_cast<const SingleBase*>(type)->base, wanted);
  if (!is_of(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) return nullptr;
  constexpr long kVirtual = 1;
  constexpr long kPublic = 2;
  constexpr int kOffsetShift = 8;
  const auto* const many = static_cast<const ManyBases*>(type);
  for (unsigned i = 0; i < many->count; ++i) {
    const BaseOf& base = many->bases[i];
    if ((base.offset_and_flags & kPublic) == 0) continue;
    std::ptrdiff_t offset = base.offset_and_flags >> kOffsetShift;
    if ((base.offset_and_flags & kVirtual) != 0) {  // the offset is in the virtual table
      const char* virtual_functions = nullptr;
      std::memcpy(&virtual_functions, object, sizeof virtual_functions);
      std::memcpy(&offset, virtual_functions + offset, sizeof offset);
    }
    if (void* found = part_of(static_cast<char*>(object) + offset, base.type, wanted)) return found;
  }
  return nullptr;
}

std::uint32_t read_unsigned(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::int32_t read_signed(const std::uint8_t*& at) {
  std::uint32_t value = 0;
  for (unsigned shift = 0;;) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < 32) value |= ~std::uint32_t{0} << shift;
    return static_cast<std::int32_t>(value);
  }
}

/// Finds the first handler of a landing pad that accepts `thrown`. Returns its number; 0 if there
/// is none. Sets thrown.as_caught, which the handler receives.
///
/// `table` is the LSDA. It has four sections:
/// 1. the encoding of landing pads, the encoding of types, and the distance to the end of section 4
/// 2. the encoding and the length of the list of call sites, and this list. Each call site has its
///    number and the place of its first action
/// 3. the actions. Each action has the number of a handler and the distance to the next action
/// 4. the types. The last type belongs to handler 1, the type before it to handler 2, and so on
std::uint32_t handler_for(Thrown& thrown, const std::uint8_t* table, std::uint32_t landing_pad) {
  constexpr std::uint8_t kLeftOut = 0xFF;
  const std::uint8_t* at = table;
  if (*at++ != kLeftOut) std::abort();
  const std::type_info* const* types_end = nullptr;
  if (*at++ != kLeftOut) {
    const std::uint32_t distance = read_unsigned(at);
    types_end = reinterpret_cast<const std::type_info* const*>(at + distance);
  }
  ++at;
  const std::uint32_t length = read_unsigned(at);
  const std::uint8_t* const actions = at + length;
  std::uint32_t action = 0;
  for (std::uint32_t i = 0; i <= landing_pad && at < actions; ++i) {
    read_unsigned(at);
    action = read_unsigned(at);
  }
  if (action == 0) return 0;
  const std::uint8_t* next = actions + action - 1;
  for (;;) {
    const std::int32_t handler = read_signed(next);
    if (handler > 0) {
      const std::type_info* const type = types_end[-handler];
      thrown.as_caught =
          type == nullptr ? thrown.object() : part_of(thrown.object(), thrown.type, type);
      if (thrown.as_caught != nullptr) return static_cast<std::uint32_t>(handler);
    }
    const std::uint8_t* const here = next;
    const std::int32_t distance = read_signed(next);
    if (distance == 0) return 0;
    next = here + distance;
  }
}

}  // namespace

extern "C" {

// Code that clang generates fills this object and reads its last field.
struct alignas(std::uint32_t) LandingPad {
  std::uint32_t number;
  const std::uint8_t* table;
  std::uint32_t handler;
};
thread_local LandingPad __wasm_lpad_context{};

int _Unwind_CallPersonality(void* caught) {
  LandingPad& pad = __wasm_lpad_context;
  pad.handler = handler_for(*static_cast<Thrown*>(caught), pad.table, pad.number);
  return 0;
}
// Compiled functions refer to this function, but never call it.
int __gxx_personality_wasm0() { std::abort(); }

void* __cxa_allocate_exception(std::size_t size) noexcept {
  void* const memory = std::aligned_alloc(alignof(Thrown), (sizeof(Thrown) + size + 15) / 16 * 16);
  if (memory == nullptr) std::terminate();
  return (new (memory) Thrown{})->object();
}
void __cxa_free_exception(void* object) noexcept { std::free(Thrown::of(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Thrown* const thrown = Thrown::of(object);
  thrown->type = type;
  thrown->destroy = destroy;
  thrown->references = 1;
  thrown->as_caught = object;
  fly(thrown);
}

void* __cxa_get_exception_ptr(void* caught) noexcept {
  return static_cast<Thrown*>(caught)->as_caught;
}

void* __cxa_begin_catch(void* caught) noexcept {
  auto* const thrown = static_cast<Thrown*>(caught);
  --in_flight;
  thrown->flies_again = false;
  if (thrown->handlers++ == 0) {
    thrown->below = handled;
    handled = thrown;
  }
  return thrown->as_caught;
}

void __cxa_end_catch() {
  Thrown* const thrown = handled;
  if (thrown == nullptr || --thrown->handlers > 0) return;
  handled = thrown->below;
  if (!thrown->flies_again) release(thrown);
}

[[noreturn]] void __cxa_rethrow() {
  if (handled == nullptr) std::terminate();
  handled->flies_again = true;
  fly(handled);
}

// std::current_exception() calls this function.
void* __cxa_current_primary_exception() noexcept {
  if (handled == nullptr) return nullptr;
  ++handled->references;
  return handled->object();
}
void __cxa_increment_exception_refcount(void* object) noexcept {
  if (object != nullptr) ++Thrown::of(object)->references;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
  if (object != nullptr) release(Thrown::of(object));
}
void __cxa_rethrow_primary_exception(void* object) {
  if (object == nullptr) return;
  Thrown* const thrown = Thrown::of(object);
  ++thrown->references;
  thrown->as_caught = object;
  fly(thrown);
}

bool __cxa_uncaught_exception() noexcept { return in_flight != 0; }
unsigned __cxa_uncaught_exceptions() noexcept { return in_flight; }

}  // extern "C"

// These operators throw if memory runs out. Those of libc++abi would end the program.
void* operator new(std::size_t size) {
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(align, (size + align - 1) / align * align))
    return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*align*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*align*/) noexcept {
  std::free(memory);
}
