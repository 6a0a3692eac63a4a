#include "server/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "parfait/base/error.h"
#include "parfait/report/html/style.h"
#include "parfait/report/web/bundle.h"
#include "parfait/report/web/gzip.h"
#include "server/page.h"

namespace parfait::serve {
namespace {

using httplib::Request;
using httplib::Response;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 32;
/// Each page that listens holds a thread.
constexpr int kMostListeners = 8;
constexpr int kBacklog = 512;  // the library asks for 5, and connections beyond wait for seconds

constexpr const char* kPagePolicy =
    "default-src 'self'; img-src 'self' data: blob:; media-src blob:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";
constexpr const char* kReportPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

RequestFacts facts_of(const Request& request) {
  RequestFacts facts;
  facts.method = request.method;
  facts.path = request.path;
  facts.host = request.get_header_value("Host");
  facts.origin = request.get_header_value("Origin");
  facts.fetch_site = request.get_header_value("Sec-Fetch-Site");
  facts.content_type = request.get_header_value("Content-Type");
  facts.transfer_encoding = request.get_header_value("Transfer-Encoding");
  facts.cookie = request.get_header_value("Cookie");
  facts.token_header = request.get_header_value("X-Parfait-Token");
  if (request.has_param("token")) facts.token_parameter = request.get_param_value("token");
  return facts;
}

void add_headers(Response& response, const char* policy) {
  response.set_header("Content-Security-Policy", policy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
}

void refuse(Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_content(reason + "\n", "text/plain; charset=utf-8");
}

void send_gzipped(Response& response, const std::string& bytes, const char* type) {
  response.set_header("Content-Encoding", "gzip");
  response.set_content(bytes, type);
}

std::string event_text(const EventLog::Event& event) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", event.number, event.kind, event.data);
}

}  // namespace

struct Server::Parts {
  explicit Parts(Session& viewed) : session(viewed) {}

  Session& session;
  Door door;
  httplib::Server http;
  int socket = -1;
  std::atomic<int> listeners = 0;
  std::atomic<bool> stopping = false;
  std::atomic<bool> was_listened = false;
  std::atomic<Clock::rep> last_listened = 0;

  /// Ends listening. A server that does not listen yet would not hear it, and must hear it once
  /// only: run() asks again.
  std::atomic<bool> told_to_end = false;
  void end_listening() {
    if (http.is_running() && !told_to_end.exchange(true)) http.stop();
  }

  /// Ends connections that somebody holds open: half a request keeps a thread for its timeout.
  void end_connections() const {
    constexpr int kMostDescriptors = 4096;
    for (int fd = 3; fd < kMostDescriptors; ++fd) {
      sockaddr_in name{};
      socklen_t size = sizeof name;
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as sockets are asked
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) continue;
      const bool ours = name.sin_family == AF_INET && ntohs(name.sin_port) == door.port;
      if (ours && fd != socket) ::shutdown(fd, SHUT_RDWR);
    }
  }

  void listen_to_requests();
  void answer_events(const Request& request, Response& response);
  /// Runs `work` and turns what it throws into an answer.
  template <class Work>
  void guarded(Response& response, const Work& work) {
    try {
      work();
    } catch (const Problem& problem) {
      refuse(response, problem.status, problem.message);
    } catch (const std::exception& error) {
      refuse(response, 500, error.what());
    }
  }
};

void Server::Parts::answer_events(const Request& request, Response& response) {
  if (listeners.fetch_add(1) >= kMostListeners) {
    --listeners;
    refuse(response, 503, "Eight pages are listening: close one.");
    return;
  }
  was_listened = true;
  std::int64_t last = 0;
  try {
    auto given = request.get_header_value("Last-Event-ID");
    if (given.empty() && request.has_param("after")) given = request.get_param_value("after");
    if (!given.empty()) last = std::stoll(given);
  } catch (const std::exception&) {
    last = 0;
  }
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, last](std::size_t, httplib::DataSink& sink) mutable {
        if (stopping || session.events().closed()) {
          sink.done();
          return true;
        }
        std::string text;
        for (const auto& event : session.events().after(last, std::chrono::seconds(1))) {
          text += event_text(event);
          last = event.number;
        }
        // A comment finds out whether the page is still there.
        if (text.empty()) text = ": \n\n";
        return sink.write(text.data(), text.size());
      },
      [this](bool) {
        --listeners;
        last_listened = Clock::now().time_since_epoch().count();
      });
}

void Server::Parts::listen_to_requests() {
  // Everything is decided here, before anything of a body is read.
  http.set_pre_routing_handler([this](const Request& request, Response& response) {
    const auto refused = refusal(door, facts_of(request));
    add_headers(response, kPagePolicy);
    if (!refused) return httplib::Server::HandlerResponse::Unhandled;
    refuse(response, refused->status, refused->reason);
    return httplib::Server::HandlerResponse::Handled;
  });
  http.set_error_handler([](const Request&, Response& response) {
    // Requests that could not be read at all did not come past the rules.
    if (!response.has_header("Content-Security-Policy")) add_headers(response, kPagePolicy);
    if (response.body.empty()) {
      response.set_content(fmt::format("{}\n", response.status), "text/plain");
    }
  });
  http.set_payload_max_length(kMostBytes);
  http.set_keep_alive_max_count(1);  // what is left of a refused body must not be a request
  http.set_read_timeout(10);
  http.set_write_timeout(10);
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };

  http.Get(std::string(kOpeningPath), [this](const Request&, Response& response) {
    response.set_header("Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/",
                                                  door.cookie_name(), door.token));
    // A redirection would still count as coming from elsewhere, and leave the cookie behind: the
    // page goes on by itself.
    response.set_content(opening_page(), "text/html; charset=utf-8");
  });
  http.Get("/", [](const Request&, Response& response) {
    response.set_content(viewer_page(), "text/html; charset=utf-8");
  });
  http.Get("/parfait.css", [](const Request&, Response& response) {
    response.set_content(std::string(report::style_sheet()), "text/css; charset=utf-8");
  });
  http.Get("/parfait.js", [](const Request&, Response& response) {
    send_gzipped(response, std::string(report::web_bundle()), "text/javascript; charset=utf-8");
  });
  http.Get("/api/session", [this](const Request&, Response& response) {
    guarded(response, [&] { response.set_content(session.session_json(), "application/json"); });
  });
  http.Get("/api/model", [this](const Request&, Response& response) {
    guarded(response, [&] {
      send_gzipped(response, report::gzip(session.model_block()), "application/octet-stream");
    });
  });
  http.Get(R"(/api/runs/(r\d{1,9})/block)", [this](const Request& request, Response& response) {
    guarded(response, [&] {
      send_gzipped(response, report::gzip(session.run_block(request.matches[1])),
                   "application/octet-stream");
    });
  });
  http.Get(R"(/api/jobs/(j\d{1,9})/block)", [this](const Request& request, Response& response) {
    guarded(response, [&] {
      send_gzipped(response, report::gzip(session.job_block(request.matches[1])),
                   "application/octet-stream");
    });
  });
  http.Get(R"(/api/runs/(r\d{1,9})/table)", [this](const Request& request, Response& response) {
    guarded(response, [&] {
      send_gzipped(response, report::gzip(session.run_table(request.matches[1])),
                   "application/json");
    });
  });
  http.Get(R"(/api/runs/(r\d{1,9})/report)", [this](const Request& request, Response& response) {
    guarded(response, [&] {
      const auto page = session.run_report(request.matches[1]);
      response.headers.erase("Content-Security-Policy");
      response.set_header("Content-Security-Policy", kReportPolicy);
      response.set_content(page, "text/html; charset=utf-8");
    });
  });
  http.Post("/api/jobs", [this](const Request& request, Response& response) {
    guarded(response,
            [&] { response.set_content(session.start_job(request.body), "application/json"); });
  });
  http.Delete(R"(/api/jobs/(j\d{1,9}))", [this](const Request& request, Response& response) {
    guarded(response, [&] {
      session.cancel_job(request.matches[1]);
      response.set_content("{}", "application/json");
    });
  });
  http.Get("/api/events", [this](const Request& request, Response& response) {
    answer_events(request, response);
  });
}

Server::Server(Session& session, int port) : parts_(std::make_unique<Parts>(session)) {
  auto& parts = *parts_;
  parts.http.set_socket_options([&parts](int socket) {
    parts.socket = socket;
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  constexpr const char* kHere = "127.0.0.1";
  if (port == 0) {
    parts.door.port = parts.http.bind_to_any_port(kHere);
  } else if (parts.http.bind_to_port(kHere, port)) {
    parts.door.port = port;
  }
  if (parts.door.port <= 0) {
    throw base::InputError(
        fmt::format("--port {}: cannot be used; another program may have it.", port));
  }
  ::listen(parts.socket, kBacklog);
  parts.door.token = make_token();
  parts.listen_to_requests();
}

Server::~Server() {
  stop();
}

const Door& Server::door() const {
  return parts_->door;
}

std::string Server::opening_address() const {
  return fmt::format("http://{}{}?token={}", door().host(), kOpeningPath, door().token);
}

void Server::run(bool once, double patience) {
  auto& parts = *parts_;
  // Looks at the files now and then, and whether somebody still looks at the page.
  std::atomic<bool> listens = true;
  std::thread watch([&] {
    constexpr int kGrace = 20;  // looks: answers that are on their way may end
    int looks = 0;
    while (listens) {
      std::this_thread::sleep_for(std::chrono::milliseconds(parts.stopping ? 10 : 300));
      if (parts.stopping) {
        parts.end_listening();
        if (++looks > kGrace) parts.end_connections();
        continue;
      }
      parts.session.look_at_files();
      if (!once || !parts.was_listened || parts.listeners > 0) continue;
      const Clock::duration since(Clock::now().time_since_epoch().count() - parts.last_listened);
      if (std::chrono::duration<double>(since).count() > patience) stop();
    }
  });
  parts.http.listen_after_bind();
  listens = false;
  parts.stopping = true;
  watch.join();
}

void Server::stop() {
  parts_->stopping = true;
  parts_->session.cancel_all();
  parts_->session.events().close();
  parts_->end_listening();
}

}  // namespace parfait::serve
