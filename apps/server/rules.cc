#include "server/rules.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <stdexcept>

namespace parfait::serve {

std::string make_token() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("no random numbers for the token");
  }
  std::string out;
  for (const unsigned byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

bool same_secret(std::string_view a, std::string_view b) {
  // The length is no secret.
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  }
  return difference == 0;
}

std::string cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = header.find(';');
    std::string_view pair = header.substr(0, end);
    while (!pair.empty() && pair.front() == ' ') pair.remove_prefix(1);
    const auto equal = pair.find('=');
    if (equal != std::string_view::npos && pair.substr(0, equal) == name) {
      return std::string(pair.substr(equal + 1));
    }
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
  }
  return "";
}

std::string Door::host() const {
  return fmt::format("127.0.0.1:{}", port);
}

std::string Door::cookie_name() const {
  return fmt::format("parfait-{}", port);
}

std::optional<Refusal> refusal(const Door& door, const RequestFacts& r) {
  if (r.host != door.host()) return Refusal{421, "This server answers to " + door.host() + "."};
  if (!r.transfer_encoding.empty()) return Refusal{411, "A body needs a Content-Length."};
  const bool reads = r.method == "GET" || r.method == "HEAD";
  if (!reads && r.method != "POST" && r.method != "DELETE") {
    return Refusal{405, "GET, POST and DELETE are understood."};
  }
  if (!r.origin.empty() && r.origin != "http://" + door.host()) {
    return Refusal{403, "Another page has no business here."};
  }
  // The opening address is where another program sends the browser to, so it comes from elsewhere;
  // the token in it is the permission.
  const bool opens = reads && r.path == kOpeningPath;
  if (!opens && !r.fetch_site.empty() && r.fetch_site != "same-origin" && r.fetch_site != "none") {
    return Refusal{403, "Another page has no business here."};
  }
  const bool known = opens ? same_secret(r.token_parameter, door.token)
                           : same_secret(cookie_value(r.cookie, door.cookie_name()), door.token) ||
                                 same_secret(r.token_header, door.token);
  if (!known) return Refusal{401, "Open the address that `parfait view` printed."};
  if (!reads && r.content_type != "application/json" &&
      !r.content_type.starts_with("application/json;")) {
    return Refusal{415, "Requests that change something are application/json."};
  }
  return std::nullopt;
}

}  // namespace parfait::serve
