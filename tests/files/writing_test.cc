// SPDX-License-Identifier: Apache-2.0
// tests/files/writing_test.cc: a file is replaced whole or not at all: full disks, folders that
// cannot be written, writers that are killed, writers at once.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/files/files_support.h"
#include "tests/files/flushing_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

class Writing : public Files {
 protected:
  ArchiveHandle filled(int64_t elements, float value) {
    ArchiveHandle made = create();
    set(made, "w",
        tensor<float>({elements}, std::vector<float>(static_cast<size_t>(elements), value)));
    return made;
  }
  // Writers that are killed at any moment; afterwards the file is one of those written.
  void kill_writers(int rounds);
};

TEST_F(Writing, AFullDiskLeavesTheOldFile) {
  const std::string file = path("model.safetensors");
  must(save(filled(4, 1), file));
  const std::string before = read(file);
  const ArchiveHandle large = filled(100'000, 2);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small = {4096, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  // Without the signal that ends processes at this limit.
  const tenon_status status = save(large, file);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  const std::string words = refused(status, TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')), "cannot write '" + file + "': File too large");
  EXPECT_NE(words.find("the file is what it was before"), std::string::npos);
  EXPECT_EQ(read(file), before);
  EXPECT_EQ(files_there(), 1u);
  must(save(large, file));
}

// All bytes are on the disk before the new file takes the old one's place; that it has is, after.
TEST_F(Writing, IsFlushedBeforeAndAfterItIsRenamed) {
  const ArchiveHandle made = filled(1000, 3);
  for (const char* name : {"m.safetensors", "m.npz", "m.npy"}) {
    for (const char* round : {"new", "replaced"}) {
      const std::string file = path(name);
      WatchedFlushing watch;
      must(save(made, file));
      ASSERT_EQ(watch.seen.size(), 3u) << name << " " << round;
      EXPECT_EQ(watch.seen[0].what, "flush");
      EXPECT_EQ(watch.seen[0].path, path("."s + name + ".partial"));
      EXPECT_EQ(watch.seen[0].bytes, std::filesystem::file_size(file)) << "not all was written";
      EXPECT_EQ(watch.seen[1].what, "rename");
      EXPECT_EQ(watch.seen[1].path, file);
      EXPECT_EQ(watch.seen[2].what, "flush");
      EXPECT_EQ(watch.seen[2].path, std::filesystem::path(file).parent_path().string());
    }
  }
}

TEST_F(Writing, AFlushThatFailsIsTold) {
  const std::string file = path("m.safetensors");
  must(save(filled(4, 1), file));
  const std::string before = read(file);
  const ArchiveHandle made = filled(8, 2);
  WatchedFlushing watch;
  std::string hint;
  const auto words = [&](size_t which, int error) {
    watch.seen.clear();
    watch.failing = which;
    watch.error = error;
    const std::string all = refused(save(made, file), TENON_E_IO);
    hint = all.substr(all.rfind('\n', all.size() - 2) + 1);
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(words(0, EIO), "cannot flush '" + file + "': Input/output error");
  EXPECT_EQ(hint, "the file is what it was before\n");
  EXPECT_EQ(read(file), before);
  EXPECT_EQ(files_there(), 1u);
  EXPECT_EQ(words(2, EIO), "cannot flush the folder of '" + file + "': Input/output error");
  EXPECT_EQ(hint, "the new file is there; a loss of power may yet undo that\n");
  EXPECT_NE(read(file), before);
  // Some file systems cannot do it.
  watch.seen.clear();
  watch.error = EINVAL;
  must(save(made, file));
  EXPECT_EQ(watch.seen.size(), 3u);
}

TEST_F(Writing, DevFullIsNoRegularFile) {
  const std::string words =
      refused(tenon_file_set(context, "/dev/full", TENON_NUL, "tenon.safetensors", TENON_NUL,
                             filled(1, 1).get()),
              TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '/dev/full': it is not a regular file");
}

TEST_F(Writing, AFolderThatCannotBeWritten) {
  std::filesystem::create_directory(path("locked"));
  ASSERT_EQ(chmod(path("locked").c_str(), 0555), 0);
  const std::string file = path("locked") + "/m.safetensors";
  const pid_t child = fork();
  if (child == 0) {
    // Root may write anywhere.
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    const ArchiveHandle made = filled(1, 1);
    const tenon_status status = save(made, file);
    tenon_error error{};
    error.struct_size = sizeof error;
    tenon_context_get_error(context, &error);
    const std::string words = error.message;
    _exit(status == TENON_E_IO && words == "cannot write '" + file + "': Permission denied" ? 0
                                                                                            : 1);
  }
  chmod(folder.c_str(), 0755);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(std::filesystem::is_empty(path("locked")));
}

TEST_F(Writing, FoldersAndNamesThatAreNone) {
  const ArchiveHandle made = filled(1, 1);
  const std::string missing = path("nowhere/m.safetensors");
  std::string words = refused(save(made, missing), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '" + missing + "': No such file or directory");
  std::filesystem::create_directory(path("d.safetensors"));
  words = refused(save(made, path("d.safetensors")), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '" + path("d.safetensors") + "': it is a folder, not a file");
  words = refused_load(path("d.safetensors"), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot read '" + path("d.safetensors") + "': it is a folder, not a file");
  words = refused_load(path("m.safetensors"), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot read '" + path("m.safetensors") + "': No such file or directory");
  words = refused(save(made, path("m.doc")), TENON_E_NOT_FOUND);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "no format is for files named as '" + path("m.doc") + "'");
  EXPECT_NE(words.find("one of: .npy .npz .safetensors"), std::string::npos) << words;
}

TEST_F(Writing, EndingsMayBeInCapitals) {
  for (const char* name : {"M.SAFETENSORS", "m.NpZ", "x.Npy"}) {
    must(save(filled(1, 1), path(name)));
    uint32_t count = 0;
    must(tenon_archive_get_count(context, load(path(name)).get(), &count, nullptr));
    EXPECT_EQ(count, 1u) << name;
  }
}

TEST_F(Writing, LinksAreFollowedAndPermissionsKept) {
  const std::string file = path("m.safetensors");
  must(save(filled(1, 1), file));
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  std::filesystem::create_symlink("m.safetensors", path("link.safetensors"));
  must(save(filled(2, 3), path("link.safetensors")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.safetensors")));
  struct stat info {};
  ASSERT_EQ(stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(values_of<float>(tensor_of(load(file), "w").get()), (std::vector<float>{3, 3}));
}

// A run's file on another disk, which the run has yet to write.
TEST_F(Writing, LinksAreFollowedToWhereNothingIsYet) {
  std::filesystem::create_directories(path("disk/run"));
  std::filesystem::create_directory(path("links"));
  std::filesystem::create_symlink("../disk/run/m.safetensors", path("links/second"));
  std::filesystem::create_symlink(path("links/second"), path("first.safetensors"));
  for (const float value : {1.0f, 2.0f}) {
    must(save(filled(2, value), path("first.safetensors")));
    EXPECT_TRUE(std::filesystem::is_symlink(path("first.safetensors")));
    EXPECT_TRUE(std::filesystem::is_symlink(path("links/second")));
    EXPECT_EQ(values_of<float>(tensor_of(load(path("disk/run/m.safetensors")), "w").get()),
              (std::vector<float>{value, value}));
  }
  std::filesystem::create_symlink("nowhere/m.safetensors", path("far.safetensors"));
  const std::string words = refused(save(filled(1, 1), path("far.safetensors")), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '" + path("far.safetensors") + "': No such file or directory");
  EXPECT_TRUE(std::filesystem::is_symlink(path("far.safetensors")));
}

TEST_F(Writing, LinksThatLeadNowhereAreToldAndStay) {
  std::filesystem::create_symlink("self.safetensors", path("self.safetensors"));
  std::filesystem::create_symlink("there.safetensors", path("back.safetensors"));
  std::filesystem::create_symlink("back.safetensors", path("there.safetensors"));
  for (const char* name : {"self.safetensors", "back.safetensors"}) {
    const std::string words = refused(save(filled(1, 1), path(name)), TENON_E_IO);
    EXPECT_EQ(words.substr(0, words.find('\n')),
              "cannot write '" + path(name) + "': Too many levels of symbolic links");
    EXPECT_NE(words.find("the file is what it was before"), std::string::npos) << words;
    EXPECT_TRUE(std::filesystem::is_symlink(path(name)));
  }
  EXPECT_EQ(files_there(), 3u);
}

TEST_F(Writing, NamesMayBeAsLongAsTheSystemHasThem) {
  const auto named = [&](size_t bytes) {
    return path(std::string(bytes - 12, 'm') + ".safetensors");
  };
  for (const size_t bytes : {128, 129, 246, 247, 255}) {
    must(save(filled(2, 3), named(bytes)));
    EXPECT_EQ(values_of<float>(tensor_of(load(named(bytes)), "w").get()),
              (std::vector<float>{3, 3}));
  }
  EXPECT_EQ(files_there(), 5u);
  // Two long names are two files, also for those who write them at once.
  const ArchiveHandle made = filled(2, 3);
  WatchedFlushing watch;
  must(save(made, named(254)));
  must(save(made, named(255)));
  EXPECT_NE(watch.seen.at(0).path, watch.seen.at(3).path);
  const std::string words = refused(save(made, named(256)), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '" + named(256) + "': File name too long");
}

TEST_F(Writing, WhatIsMappedStaysWhenTheFileIsReplaced) {
  const std::string file = path("m.safetensors");
  must(save(filled(3, 1), file));
  const ArchiveHandle archive = load(file);
  const Tensor old = tensor_of(archive, "w");
  must(save(filled(5, 2), file));
  EXPECT_EQ(values_of<float>(old.get()), (std::vector<float>{1, 1, 1}));
  // Also from itself to itself.
  must(save(archive, file));
  EXPECT_EQ(values_of<float>(tensor_of(load(file), "w").get()), (std::vector<float>{1, 1, 1}));
}

TEST_F(Writing, OneWriterAtATime) {
  const std::string file = path("m.safetensors");
  const int other =
      open(path(".m.safetensors.partial").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_GE(other, 0);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const std::string words = refused(save(filled(1, 1), file), TENON_E_IO);
  EXPECT_EQ(words.substr(0, words.find('\n')),
            "cannot write '" + file + "': another writer is writing it");
  close(other);
  // What a killed writer left is in nobody's way.
  must(save(filled(1, 1), file));
  EXPECT_EQ(files_there(), 1u);
}

TEST_F(Writing, StridedTensorsAndThoseOfTheMoment) {
  const ArchiveHandle made = create();
  const Tensor base = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const int64_t shape[] = {3, 2};
  const int64_t strides[] = {1, 3};
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_view(context, base.get(), 2, shape, strides, 0, &out));
  set(made, "t", Tensor(out));
  must(save(made, path("t.safetensors")));
  EXPECT_EQ(values_of<float>(tensor_of(load(path("t.safetensors")), "t").get()),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const float changed[] = {0, 0, 0, 9, 9, 9};
  must(tenon_tensor_set_data(context, base.get(), changed, sizeof changed));
  must(save(made, path("t.safetensors")));
  EXPECT_EQ(values_of<float>(tensor_of(load(path("t.safetensors")), "t").get()),
            (std::vector<float>{0, 9, 0, 9, 0, 9}));
}

void Writing::kill_writers(int rounds) {
  const std::string file = path("m.safetensors");
  must(save(filled(200'000, 0), file));
  std::srand(7);
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (float value = 1;; ++value) {
        if (save(filled(200'000, value), file) != TENON_OK) _exit(1);
      }
    }
    usleep(static_cast<useconds_t>(1000 + std::rand() % 30'000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::vector<float> values = values_of<float>(tensor_of(load(file), "w").get());
    ASSERT_EQ(values, std::vector<float>(200'000, values[0]));
  }
  must(save(filled(1, 1), file));
  EXPECT_EQ(files_there(), 1u);
}

TEST_F(Writing, KilledWritersLoseNothing) { kill_writers(10); }

using WritingSoak = Writing;
TEST_F(WritingSoak, KilledWritersLoseNothing) { kill_writers(1000); }

}  // namespace
}  // namespace tenon::tests
