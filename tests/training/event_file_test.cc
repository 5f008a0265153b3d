// SPDX-License-Identifier: Apache-2.0
// tests/training/event_file_test.cc: the event files of TensorBoard that a history writes.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cstring>
#include <ctime>

#include "tests/training/history_support.h"

namespace tenon::tests {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

uint64_t number_of(const std::string& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << 8 * i;
  return value;
}

// Another implementation of CRC-32C than the one that is tested.
uint32_t masked_checksum(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> sum;
  sum.process_bytes(bytes.data(), bytes.size());
  const uint32_t crc = sum.checksum();
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

// The protocol buffers of a file, whose checksums must be right.
std::vector<std::string> records_of(const std::string& file) {
  std::vector<std::string> records;
  for (size_t at = 0; at < file.size();) {
    const size_t length = number_of(file, at, 8);
    EXPECT_EQ(number_of(file, at + 8, 4), masked_checksum(file.substr(at, 8)));
    records.push_back(file.substr(at + 12, length));
    EXPECT_EQ(number_of(file, at + 12 + length, 4), masked_checksum(records.back()));
    at += length + 16;
  }
  return records;
}

class Events : public History {
 protected:
  void SetUp() override {
    History::SetUp();
    must(try_events(folder.string()));
    ASSERT_THAT(files(), SizeIs(1));
    file = path(files()[0]);
  }
  std::vector<std::string> records() const { return records_of(content_of(file)); }

  std::string file;
};

TEST_F(Events, AreRecordsThatTensorBoardReads) {
  set("loss", 300, 0.75);
  const std::vector<std::string> found = records();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], EndsWith(std::string("\x10\x00\x1A\x0D", 4) + "brain.Event:2"));
  // wall_time, step = 300, summary {value {tag = "loss", simple_value = 0.75}}
  EXPECT_EQ(found[1].substr(9), std::string("\x10\xAC\x02\x2A\x0D\x0A\x0B\x0A\x04loss\x15"
                                            "\x00\x00\x40\x3F",
                                            18));
  double wall = 0;
  std::memcpy(&wall, found[1].data() + 1, sizeof wall);
  EXPECT_EQ(found[1][0], 9);
  EXPECT_NEAR(wall, static_cast<double>(std::time(nullptr)), 60);
  EXPECT_THAT(files()[0], AllOf(StartsWith("events.out.tfevents."),
                                HasSubstr(".tenon." + std::to_string(getpid()) + ".")));
}

TEST_F(Events, HoldNegativeStepsHugeValuesAndLongNames) {
  const std::string name(100000, 'x');
  set(name, -1, 1e300);
  const std::vector<std::string> found = records();
  ASSERT_EQ(found.size(), 2u);
  // Ten bytes of a negative varint, then a summary of 100,013 bytes; too large for f32: infinity.
  EXPECT_EQ(found[1].substr(9, 11), "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  EXPECT_THAT(found[1], EndsWith(name + std::string("\x15\x00\x00\x80\x7F", 5)));
}

TEST_F(Events, AFileForEachRun) {
  tenon_history* second = nullptr;
  must(tenon_history_create(context, &second));
  must(tenon_history_set_events(context, second, folder.c_str(), TENON_NUL));
  EXPECT_THAT(files(), SizeIs(2));
  tenon_history_release(second);
}

TEST_F(Events, ASecondFolderTakesOver) {
  set("loss", 1, 1);
  std::filesystem::create_directory(path("second"));
  must(try_events(path("second")));
  set("loss", 2, 1);
  EXPECT_EQ(records().size(), 2u);
  const auto other = *std::filesystem::directory_iterator(path("second"));
  EXPECT_EQ(records_of(content_of(other.path())).size(), 2u);
}

TEST_F(Events, TheFolderIsMade) {
  must(try_events(path("runs/second")));
  set("loss", 1, 1);
  const auto made = *std::filesystem::directory_iterator(path("runs/second"));
  EXPECT_EQ(records_of(content_of(made.path())).size(), 2u);
}

TEST_F(Events, FoldersThatCannotBe) {
  write("plain", "");
  const std::string words = refused(try_events(path("plain/no")), TENON_E_IO);
  EXPECT_EQ(words, "history: cannot begin an event file in '" + path("plain/no") +
                       "': Not a directory\n\nfolder\n"
                       "a folder in which files can be written\nNot a directory\n\n"
                       "name another folder; points go where they went before\n");
  EXPECT_THAT(refused(try_events(path("plain")), TENON_E_IO), HasSubstr("Not a directory"));
  EXPECT_THAT(refused(try_events(std::string("a\0b", 3)), TENON_E_ARGUMENT),
              StartsWith("the folder has a zero byte\n"));
  set("loss", 1, 1);
  EXPECT_EQ(records().size(), 2u) << "the first file goes on";
}

TEST_F(Events, AFullDiskTearsNoRecord) {
  set("loss", 1, 1);
  const std::string before = content_of(file);
  tenon_status old_series = TENON_OK;
  tenon_status new_series = TENON_OK;
  {
    const FullDisk full(before.size() + 10);
    old_series = try_set("loss", 2, 1);
    new_series = try_set("accuracy", 2, 1);
  }
  EXPECT_EQ(old_series, TENON_E_IO);
  const std::string words = refused(new_series, TENON_E_IO);
  EXPECT_EQ(words, "history: cannot write '" + file +
                       "': File too large\n\nevents\nroom for a record\nFile too large\n\n"
                       "nothing was added; the same call works once the cause is gone\n");
  EXPECT_EQ(content_of(file), before);
  EXPECT_EQ(query("csv"), "series,step,value\nloss,1,1.0\n");
  set("loss", 3, 1);
  EXPECT_EQ(records().size(), 3u);
  EXPECT_EQ(query("csv"), "series,step,value\nloss,1,1.0\nloss,3,1.0\n");
}

TEST_F(Events, AFullDiskLeavesNoFileThatIsNone) {
  std::filesystem::remove(file);
  tenon_status status = TENON_OK;
  {
    const FullDisk full(10);
    status = try_events(folder.string());
  }
  EXPECT_EQ(status, TENON_E_IO);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Events, AKilledRunLosesNone) {
  const pid_t child = fork();
  if (child == 0) {
    for (int64_t step = 0; step < 100; ++step) try_set("loss", step, 1);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(records().size(), 101u);
}

}  // namespace
}  // namespace tenon::tests
