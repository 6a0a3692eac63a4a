#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Who may talk to the viewer: only the browser of the person who started it. Another page in that
/// browser, another user of the machine and another machine get nothing.
namespace parfait::serve {

/// 256 random bits as 64 letters.
std::string make_token();

/// Takes the same time wherever they differ.
bool same_secret(std::string_view a, std::string_view b);

/// The value of a cookie in a Cookie header; empty if it is not there.
std::string cookie_value(std::string_view header, std::string_view name);

/// What a request says about itself; headers that are missing are empty.
struct RequestFacts {
  std::string method, path;
  std::string host, origin, fetch_site, content_type, transfer_encoding;
  std::string cookie, token_header;
  std::string token_parameter;  ///< ?token=, for the opening address alone
};

struct Refusal {
  int status = 0;
  std::string reason;
};

/// Where the server is and what its secret is.
struct Door {
  int port = 0;
  std::string token;

  std::string host() const;         ///< "127.0.0.1:8080"
  std::string cookie_name() const;  ///< has the port: servers on one machine share the cookies
};

inline constexpr std::string_view kOpeningPath = "/open";
/// A body is at most this long.
inline constexpr std::size_t kMostBytes = 8 << 20;

/// Why a request is refused, in this order:
///   421  Host is not exactly ours (a name that was made to point here)
///   411  a body without a length: its limit could not be kept
///   403  Origin is another, or the browser says that another site asks
///   401  neither cookie nor token
///   415  what changes something must be JSON, which no form of another page can send
///   405  other methods than GET, HEAD, POST, DELETE
std::optional<Refusal> refusal(const Door& door, const RequestFacts& request);

}  // namespace parfait::serve
