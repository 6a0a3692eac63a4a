#include "server/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "server/event_log.h"

namespace parfait::serve::rules_test {
namespace {

const Door kDoor{8123, std::string(64, 'a')};

/// A request of our own page.
RequestFacts own() {
  RequestFacts r;
  r.method = "GET";
  r.path = "/api/session";
  r.host = "127.0.0.1:8123";
  r.fetch_site = "same-origin";
  r.cookie = "other=1; parfait-8123=" + kDoor.token;
  return r;
}

int status(const RequestFacts& r) {
  const auto refused = refusal(kDoor, r);
  return refused ? refused->status : 200;
}

TEST(ViewRules, OurOwnPageIsServed) {
  EXPECT_EQ(status(own()), 200);
  auto r = own();
  r.origin = "http://127.0.0.1:8123";
  r.method = "POST";
  r.content_type = "application/json";
  EXPECT_EQ(status(r), 200);
  r = own();
  r.cookie.clear();
  r.token_header = kDoor.token;
  EXPECT_EQ(status(r), 200);
}

TEST(ViewRules, TheHostMustBeExactlyOurs) {
  for (const char* host :
       {"localhost:8123", "evil.example:8123", "127.0.0.1", "127.0.0.1:8124", ""}) {
    auto r = own();
    r.host = host;
    EXPECT_EQ(status(r), 421) << host;
  }
}

TEST(ViewRules, WithoutTheSecretNothingIsServed) {
  auto r = own();
  r.cookie.clear();
  EXPECT_EQ(status(r), 401);
  r.cookie = "parfait-8123=" + std::string(63, 'a') + "b";
  EXPECT_EQ(status(r), 401);
  r.cookie = "parfait-8124=" + kDoor.token;  // of a server on another port
  EXPECT_EQ(status(r), 401);
  r.token_parameter = kDoor.token;  // in an address only where the door is
  EXPECT_EQ(status(r), 401);
  r.path = "/open";
  EXPECT_EQ(status(r), 200);
  r.token_parameter = "wrong";
  EXPECT_EQ(status(r), 401);
}

TEST(ViewRules, AnotherPageGetsNothing) {
  for (const char* origin : {"http://evil.example", "null", "http://localhost:8123", "file://"}) {
    auto r = own();
    r.origin = origin;
    EXPECT_EQ(status(r), 403) << origin;
  }
  for (const char* site : {"cross-site", "same-site"}) {
    auto r = own();
    r.fetch_site = site;
    EXPECT_EQ(status(r), 403) << site;
  }
  auto r = own();
  r.path = "/open";
  r.token_parameter = kDoor.token;
  r.fetch_site = "cross-site";  // from the file that the browser was opened with
  EXPECT_EQ(status(r), 200);
}

TEST(ViewRules, ChangesAreJsonAndBodiesHaveALength) {
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}) {
    auto r = own();
    r.method = "POST";
    r.content_type = type;
    EXPECT_EQ(status(r), 415) << type;
  }
  auto r = own();
  r.method = "POST";
  r.content_type = "application/json";
  r.transfer_encoding = "chunked";
  EXPECT_EQ(status(r), 411);
  r = own();
  r.method = "PUT";
  EXPECT_EQ(status(r), 405);
}

TEST(ViewRules, TokensAreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const auto token = make_token();
    EXPECT_EQ(token.size(), 64U);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 50U);
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("abc", ""));
}

TEST(ViewEvents, GoOnWhereAPageStopped) {
  EventLog log;
  for (int i = 0; i < 5; ++i) log.add("iteration", std::to_string(i));
  const auto all = log.after(0, std::chrono::milliseconds(0));
  ASSERT_EQ(all.size(), 5U);
  const auto rest = log.after(all[2].number, std::chrono::milliseconds(0));
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].data, "3");
}

TEST(ViewEvents, OnlyTheNewestCurvesAreKept) {
  EventLog log;
  log.add("curves", "old", "curves j1");
  log.add("iteration", "0");
  log.add("curves", "new", "curves j1");
  log.add("curves", "other", "curves j2");
  const auto all = log.after(0, std::chrono::milliseconds(0));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].data, "new");
  for (std::size_t i = 0; i < 2 * EventLog::kMostEvents; ++i) log.add("x", "");
  EXPECT_EQ(log.after(0, std::chrono::milliseconds(0)).size(), EventLog::kMostEvents);
}

}  // namespace
}  // namespace parfait::serve::rules_test
