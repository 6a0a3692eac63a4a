#pragma once

#include <string>

namespace parfait::serve {

/// The page of the viewer: no script of its own, it loads /parfait.js.
std::string viewer_page();
/// Goes to the viewer by itself.
std::string opening_page();

/// A file in the user's runtime folder that only the user can read, with a page that goes to
/// `address`: so the token stands in no list of processes. Removed when this goes.
class OpeningFile {
 public:
  explicit OpeningFile(const std::string& address);
  ~OpeningFile();
  OpeningFile(const OpeningFile&) = delete;
  OpeningFile& operator=(const OpeningFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

/// Shows a file in the user's browser; false if there is no desktop to do it.
bool open_in_browser(const std::string& file);

}  // namespace parfait::serve
