#include "parfait/io/motion_files/file_warnings.h"

#include <utility>

namespace parfait::io {

std::string FileWarning::place() const {
  if (byte >= 0) return "byte " + std::to_string(byte);
  return line > 0 ? "line " + std::to_string(line) : "";
}

std::string FileWarning::text() const {
  const std::string where = place();
  return where.empty() ? message : where + ": " + message;
}

void WarningLog::once_at_byte(const std::string& key, std::int64_t byte,
                              const std::string& message) {
  if (seen_.insert(key).second) at_byte(byte, message);
}

void WarningLog::once_at_line(const std::string& key, int line, const std::string& message) {
  if (seen_.insert(key).second) at_line(line, message);
}

void WarningLog::add(FileWarning warning) {
  if (warnings_.size() < kMost) {
    warnings_.push_back(std::move(warning));
  } else {
    ++left_out_;
  }
}

std::vector<FileWarning> WarningLog::take() {
  if (left_out_ > 0) {
    warnings_.push_back({"and " + std::to_string(left_out_) + " more such oddities", -1, 0});
    left_out_ = 0;
  }
  return std::exchange(warnings_, {});
}

}  // namespace parfait::io
