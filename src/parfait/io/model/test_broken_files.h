#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "parfait/base/error.h"
#include "parfait/io/model/test_integrator_lists.h"

namespace parfait::io {

/// A folder of tests/cases whose expected.txt says for each broken file what a person must be told.
/// Messages show a file as it was named: while this lives we stand in its folder.
class BrokenFiles {
 public:
  explicit BrokenFiles(const char* folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(std::filesystem::path(PARFAIT_SOURCE_DIR) / "tests/cases" /
                                  folder);
    // Lines are "file<TAB>message"; # begins a comment.
    std::ifstream in("expected.txt");
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line.front() == '#') continue;
      const auto tab = line.find('\t');
      EXPECT_NE(tab, std::string::npos) << line;
      const auto message = with_integrators(line.substr(tab + 1));
      EXPECT_TRUE(messages_.emplace(line.substr(0, tab), message).second) << line;
    }
  }
  ~BrokenFiles() { std::filesystem::current_path(before_); }
  BrokenFiles(const BrokenFiles&) = delete;
  BrokenFiles& operator=(const BrokenFiles&) = delete;

  std::size_t size() const { return messages_.size(); }

  /// `read` must throw the expected message for each file.
  void expect_messages(const std::function<void(const std::string& file)>& read) const {
    for (const auto& [file, message] : messages_) {
      try {
        read(file);
        ADD_FAILURE() << file << " is accepted; expected: " << message;
      } catch (const base::InputError& error) {
        EXPECT_EQ(error.what(), message) << file;
      }
    }
  }

  void expect_all_listed() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(".")) {
      const auto ending = entry.path().extension();
      const bool is_table = ending == ".txt" || ending == ".csv";
      if (!is_table) found.insert(entry.path().filename().string());
    }
    for (const auto& file : found) {
      EXPECT_TRUE(messages_.contains(file)) << file << " is not listed";
    }
    for (const auto& entry : messages_) {
      EXPECT_TRUE(found.contains(entry.first)) << entry.first << " is gone";
    }
  }

 private:
  std::filesystem::path before_;
  std::map<std::string, std::string> messages_;
};

}  // namespace parfait::io
