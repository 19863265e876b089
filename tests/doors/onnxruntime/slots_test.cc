// Every slot of the table, called with nothing and with things that it cannot be meant for: no call crashes, and each
// says what is wrong or missing.
#include <array>
#include <fstream>
#include <sstream>

#include "client.h"
#include "tc/doors/onnxruntime/api.h"

namespace tc::client {
namespace {

enum class Answer { own_status, own_other, not_implemented, nothing };
struct Row {
  const char* name;
  Answer answer;
};

template <class R, class... A>
constexpr Answer answer_of(R (*)(A...)) {
  return std::is_same_v<R, dropin::OrtStatus*> ? Answer::own_status : Answer::own_other;
}

constexpr Row kRows[] = {
#define TC_SLOT_OWN(name) {#name, answer_of(static_cast<decltype(&dropin::api::name)>(nullptr))},
#define TC_SLOT_STATUS(name) {#name, Answer::not_implemented},
#define TC_SLOT_NOTHING(name) {#name, Answer::nothing},
#include "tc/doors/onnxruntime/slots.def"
#undef TC_SLOT_OWN
#undef TC_SLOT_STATUS
#undef TC_SLOT_NOTHING
};
static_assert(std::size(kRows) == 428);

// More arguments than any function has.
Handle call(const Client& c, int slot, const std::array<void*, 13>& a) {
  return c.library.call<Handle>(static_cast<Slot>(slot), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                a[10], a[11], a[12]);
}

Failure failure(const Client& c, Handle status) {
  if (!status) return {};
  const Failure f{c.library.call<int>(kGetErrorCode, status), c.library.call<const char*>(kGetErrorMessage, status)};
  c.release(kReleaseStatus, status);
  return f;
}

TEST(Slots, NothingIsAnErrorOfTheCaller) {
  const Client c(kOurs);
  for (int slot = 0; slot < kNumSlots; ++slot) {
    const Row& row = kRows[slot];
    SCOPED_TRACE(row.name);
    const Handle got = call(c, slot, {});
    if (row.answer == Answer::own_other) continue;  // no crash is what there is to see
    if (row.answer == Answer::nothing) {
      EXPECT_EQ(got, nullptr);
      continue;
    }
    const Failure f = failure(c, got);
    if (row.answer == Answer::not_implemented) {
      EXPECT_EQ(f.code, kNotImplemented);
      EXPECT_NE(f.message.find(row.name), std::string::npos) << f.message;
    } else if (slot == kReleaseAvailableProviders) {
      EXPECT_EQ(f.code, kOk) << f.message;
    } else if (slot != kCreateStatus) {
      EXPECT_EQ(f.code, kInvalidArgument) << f.message;
    }
  }
}

TEST(Slots, ThingsOfAnotherKindAreNoHandles) {
  const Client c(kOurs);
  // Zeros are no handle, no allocator, empty text, and memory that may be written.
  // Each slot has its own, where what it may have made stays.
  alignas(16) static char zeros[kNumSlots][13][256];
  for (int slot = 0; slot < kNumSlots; ++slot) {
    const Row& row = kRows[slot];
    SCOPED_TRACE(row.name);
    std::array<void*, 13> a{};
    for (size_t i = 0; i < a.size(); ++i) a[i] = zeros[slot][i];
    const Handle got = call(c, slot, a);
    if (row.answer != Answer::own_status) continue;
    failure(c, got);
  }
  const Handle status = c.library.call<Handle>(kCreateStatus, 6, "text");
  size_t n = 0;
  EXPECT_EQ(c.status(kSessionGetInputCount, status, &n).code, kInvalidArgument);
  EXPECT_EQ(c.status(kSetIntraOpNumThreads, c.env, 1).code, kInvalidArgument);
  EXPECT_EQ(c.status(kGetTensorMutableData, c.memory, &n).code, kInvalidArgument);
  EXPECT_EQ(c.status(kRunOptionsSetTerminate, c.env).code, kInvalidArgument);
  EXPECT_EQ(c.library.call<int>(kGetErrorCode, status), 6);
  EXPECT_STREQ(c.library.call<const char*>(kGetErrorMessage, status), "text");
  // What is no handle of the kind is not released either.
  c.release(kReleaseSession, status);
  EXPECT_EQ(c.library.call<int>(kGetErrorCode, status), 6);
  c.release(kReleaseStatus, status);
}

TEST(Slots, EveryVersionGetsTheSameTable) {
  const Library library(kOurs);
  for (uint32_t v = 1; v <= 30; ++v) EXPECT_EQ(library.api(v), library.table()) << v;
  EXPECT_EQ(library.api(0), nullptr);
  EXPECT_EQ(library.api(31), nullptr);
}

// The page lists the functions that are there, and no others.
TEST(Slots, TheManualHasThem) {
  std::stringstream page;
  page << std::ifstream(TC_SOURCE_DIR "/docs/onnxruntime-drop-in.md").rdbuf();
  const std::string text = page.str();
  const size_t begin = text.find("## Functions"), end = text.find("\n## ", begin + 1);
  ASSERT_NE(begin, std::string::npos);
  std::string words = text.substr(begin, end - begin);
  for (char& ch : words)
    if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '_') ch = ' ';
  words = " " + words + " ";
  for (const Row& row : kRows) {
    const bool listed = words.find(std::string(" ") + row.name + " ") != std::string::npos;
    EXPECT_EQ(listed, row.answer == Answer::own_status || row.answer == Answer::own_other) << row.name;
  }
}

}  // namespace
}  // namespace tc::client
