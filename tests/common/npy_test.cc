// .npy and .npz against NumPy: what it writes is read, what is written it reads, and damaged files give errors.
#include "tc/frontend/api/files/npy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

#include "npy_cases.h"

namespace tc {
namespace {

using npy_cases::folder;
using npy_cases::slurp;

std::string path_of(const std::string& file) {
  return (folder() / file).string();
}

void expect_code(ErrorCode code, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(to_string(e.code()), to_string(code)) << e.what();
  }
}

TEST(Npy, ReadsEveryTypeShapeAndOrder) {
  for (const auto& [name, expected] : npy_cases::all())
    for (const char* order : {"", "_fortran"}) {
      SCOPED_TRACE(name + order);
      const Tensor got = read_npy(path_of(name + order + ".npy"));
      EXPECT_EQ(got.type().str(), expected.type().str());
      EXPECT_TRUE(got.identical(expected));
    }
}

TEST(Npy, ReadsLaterVersions) {
  const Tensor expected = read_npy(path_of("f4_4.npy"));
  for (const char* file : {"version2.npy", "version3.npy"}) EXPECT_TRUE(read_npy(path_of(file)).identical(expected));
}

TEST(Npy, RefusesWhatItCannotHold) {
  for (const char* file : {"big_endian.npy", "objects.npy", "structured.npy", "absent.npy", "."})
    expect_code(ErrorCode::bad_file, [&] { read_npy(path_of(file)); });
  const std::string invalid = "\xff";
  expect_code(ErrorCode::bad_value, [&] { format_npy(Tensor::scalar(invalid)); });
  expect_code(ErrorCode::bad_argument, [] { format_npy(Tensor()); });
}

TEST(Npy, RefusesHeadersThatLie) {
  const auto file = [](const std::string& header) {
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + "12345678";
  };
  const auto with_shape = [&](const std::string& shape) {
    return file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }");
  };
  EXPECT_EQ(parse_npy(with_shape("(2,)"), "test").size(), 2);
  EXPECT_EQ(parse_npy(with_shape("(1, 2)"), "test").rank(), 2);
  for (const char* shape : {"(3,)", "(-1,)", "(4294967296, 4294967296)", "(99999999999999999999,)", "(1.5,)", "(2", "2",
                            "(,)", "(1152921504606846976,)", "(4611686018427387905,)"}) {
    SCOPED_TRACE(shape);
    EXPECT_THROW(parse_npy(with_shape(shape), "test"), Error);
  }
  std::string deep = "(";
  for (int i = 0; i < kMaxRank + 1; ++i) deep += "1,";
  expect_code(ErrorCode::limit_rank, [&] { parse_npy(with_shape(deep + ")"), "test"); });
  for (const char* header : {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
                             "{'descr: '<f4', 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '', 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '<U', 'fortran_order': False, 'shape': (2,)}",
                             "{'descr': '<U0', 'fortran_order': False, 'shape': (1099511627776,)}",
                             "{'descr': '<U4294967295', 'fortran_order': False, 'shape': (1099511627776,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}"}) {
    SCOPED_TRACE(header);
    EXPECT_THROW(parse_npy(file(header), "test"), Error);
  }
}

TEST(Npy, DamagedFilesAreErrorsOrArrays) {
  std::mt19937 random(1);
  for (const char* name : {"f4_4.npy", "U7_4.npy", "version2.npy", "b_4_fortran.npy"}) {
    const std::string good = slurp(folder() / name);
    for (size_t size = 0; size < good.size(); ++size)
      EXPECT_THROW(parse_npy(std::string_view(good).substr(0, size), "cut"), Error) << name << " cut to " << size;
    for (int round = 0; round < 4000; ++round) {
      std::string bad = good;
      bad[random() % std::min<size_t>(bad.size(), 140)] = static_cast<char>(random());
      try {
        const Tensor t = parse_npy(bad, "flipped");
        EXPECT_LE(t.bytes(), 40 * good.size());
      } catch (const Error&) {
      }
    }
  }
}

TEST(Npz, ReadsStoredAndDeflated) {
  for (const char* file : {"stored.npz", "deflated.npz"}) {
    const NamedTensors got = read_npz(path_of(file)), expected = npy_cases::all();
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].first, expected[i].first);
      EXPECT_TRUE(got[i].second.identical(expected[i].second)) << got[i].first;
    }
    EXPECT_TRUE(read_npz_member(path_of(file), expected[3].first).identical(expected[3].second));
    expect_code(ErrorCode::bad_file, [&] { read_npz_member(path_of(file), "nowhere"); });
  }
}

TEST(Npz, NumpyReadsWhatIsWritten) {
  write_npz(path_of("written.npz"), npy_cases::all());
  write_npz(path_of("widened.npz"),
            {{"a/b.bf16", Tensor::of<BFloat16>({3}, {BFloat16(1.5), BFloat16(-2), BFloat16(0.15625)})},
             {"i4", Tensor::of<Int4>({2}, {Int4(-8), Int4(7)})}});
  write_npy(path_of("written.npy"), Tensor::scalar(int64_t{42}));
  EXPECT_EQ(npy_cases::run_peer("check"), 0);
}

TEST(Npz, RefusesToWriteTwiceTheSameNameOrToNowhere) {
  const Tensor t = Tensor::scalar(1.0f);
  expect_code(ErrorCode::bad_argument, [&] { write_npz(path_of("twice.npz"), {{"x", t}, {"x", t}}); });
  expect_code(ErrorCode::bad_file, [&] { write_npz(path_of("no/such/folder.npz"), {{"x", t}}); });
  expect_code(ErrorCode::bad_file, [&] { write_npy(path_of("no/such/folder.npy"), t); });
}

TEST(Npz, DamagedArchivesAreErrorsOrArrays) {
  const std::string path = path_of("damaged.npz");
  write_npz(path_of("small.npz"), {{"x", Tensor::of<float>({2}, {1, 2})}, {"y", Tensor::scalar(std::string("text"))}});
  const std::string good = slurp(folder() / "small.npz");
  const auto read_damaged = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return read_npz(path);
  };
  EXPECT_EQ(read_damaged(good).size(), 2u);
  for (size_t size = 0; size < good.size(); size += 7)
    EXPECT_THROW(read_damaged(good.substr(0, size)), Error) << "cut to " << size;
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random());
    try {
      read_damaged(bad);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace tc
