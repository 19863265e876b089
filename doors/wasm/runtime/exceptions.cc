// Exceptions for WebAssembly. Debian's C++ library for it is built without them: this is what compiled code calls
// instead of it. One thread, no exception_ptr, C++ exceptions only.
//
// An exception is a Header before the thrown object; the engine carries a pointer to the Header. A landing pad leaves
// its number and its table in `__wasm_lpad_context`, asks for the personality, and reads which of its types matched.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

namespace {

struct alignas(16) Header {
  const std::type_info* type;
  void* (*destroy)(void*);  // a destructor, which returns its object here
  void* adjusted;           // the object as the type that catches it
  Header* next;             // caught before
  int handlers;
  bool rethrown;
  void* object() { return this + 1; }
};

Header* caught = nullptr;  // the innermost first
unsigned uncaught = 0;

Header* header_of(void* object) {
  return static_cast<Header*>(object) - 1;
}

// The functions of libc++abi's type descriptions, in their order in the table.
class Catcher : public std::type_info {
 public:
  virtual void pad1() const = 0;
  virtual void pad2() const = 0;
  virtual bool can_catch(const std::type_info* thrown, void*& object) const = 0;
};

uint32_t read_unsigned(const uint8_t*& p) {
  uint32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = *p++;
    value |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

int32_t read_signed(const uint8_t*& p) {
  uint32_t value = 0;
  for (unsigned shift = 0;;) {
    const uint8_t byte = *p++;
    value |= static_cast<uint32_t>(byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < 32) value |= ~uint32_t{0} << shift;
    return static_cast<int32_t>(value);
  }
}

// The number of the first type of a landing pad that catches the exception; 0: none does.
int32_t match(const uint8_t* table, uint32_t landing_pad, Header& exception) {
  ++table;                                         // where landing pads begin: left out
  if (*table++ == 0xff) return 0;                  // no types
  const uint32_t types_at = read_unsigned(table);  // counted from here
  const auto* const types = reinterpret_cast<const Catcher* const*>(table + types_at);
  ++table;  // how call sites are written: as numbers of seven bits a byte
  const uint32_t length = read_unsigned(table);
  const uint8_t* const actions = table + length;
  uint32_t action = 0;
  for (uint32_t site = 0; table < actions; ++site) {
    read_unsigned(table);
    action = read_unsigned(table);
    if (site == landing_pad) break;
    action = 0;
  }
  if (action == 0) return 0;
  for (const uint8_t* p = actions + action - 1;;) {
    const int32_t type = read_signed(p);
    const uint8_t* const from = p;
    const int32_t next = read_signed(p);
    if (type > 0) {
      const Catcher* const wanted = types[-type];
      void* object = exception.object();
      if (wanted == nullptr || wanted->can_catch(exception.type, object)) {
        exception.adjusted = object;
        return type;
      }
    }
    if (next == 0) return 0;
    p = from + next;
  }
}

}  // namespace

extern "C" {

struct LandingPad {
  uint32_t number;
  const uint8_t* table;
  int32_t selector;
};
LandingPad __wasm_lpad_context;

int32_t _Unwind_CallPersonality(void* exception) {
  LandingPad& pad = __wasm_lpad_context;
  pad.selector = pad.table == nullptr ? 0 : match(pad.table, pad.number, *static_cast<Header*>(exception));
  return 0;
}
// Named by compiled code, called by none of it.
int32_t __gxx_wasm_personality_v0(int32_t) {
  std::abort();
}

void* __cxa_allocate_exception(size_t size) {
  void* const p = std::malloc(sizeof(Header) + size);
  if (p == nullptr) std::abort();
  return new (p) Header{} + 1;
}
void __cxa_free_exception(void* object) {
  std::free(header_of(object));
}
[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Header* const header = header_of(object);
  header->type = type;
  header->destroy = destroy;
  header->adjusted = object;
  ++uncaught;
  __builtin_wasm_throw(0, header);
}
[[noreturn]] void __cxa_rethrow() {
  if (caught == nullptr) std::terminate();
  caught->rethrown = true;
  ++uncaught;
  __builtin_wasm_throw(0, caught);
}
void* __cxa_get_exception_ptr(void* exception) {
  return static_cast<Header*>(exception)->adjusted;
}
void* __cxa_begin_catch(void* exception) {
  auto* const header = static_cast<Header*>(exception);
  --uncaught;
  ++header->handlers;
  header->rethrown = false;
  if (header != caught) {
    header->next = caught;
    caught = header;
  }
  return header->adjusted;
}
void __cxa_end_catch() {
  Header* const header = caught;
  if (header == nullptr || --header->handlers > 0) return;
  caught = header->next;
  if (header->rethrown) return;  // on its way to another handler
  if (header->destroy != nullptr) header->destroy(header->object());
  std::free(header);
}

unsigned __cxa_uncaught_exceptions() {
  return uncaught;
}
bool __cxa_uncaught_exception() {
  return uncaught != 0;
}

// What exception_ptr would need.
void* __cxa_current_primary_exception() {
  return nullptr;
}
void __cxa_increment_exception_refcount(void*) {}
void __cxa_decrement_exception_refcount(void*) {}
void __cxa_rethrow_primary_exception(void*) {
  std::abort();
}

}  // extern "C"

// The library's ends the program when there is no memory.
void* operator new(size_t bytes) {
  void* const p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new[](size_t bytes) {
  return operator new(bytes);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  const size_t padded = (bytes + unit - 1) / unit * unit;
  void* const p = padded < bytes ? nullptr : std::aligned_alloc(unit, padded == 0 ? unit : padded);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
}
