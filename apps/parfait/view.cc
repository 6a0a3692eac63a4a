#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/report/web/bundle.h"
#include "server/page.h"
#include "server/server.h"

// parfait view: models and motions in the browser, and fits while they work.
namespace parfait::app {
namespace view_command {
namespace {

struct ViewOptions {
  std::vector<std::string> targets;
  int port = 0;
  bool no_open = false;
  int patience = 0;  ///< s that the page may be gone before the server ends; 0: for ever
};

/// Waits for Ctrl-C on a thread of its own: signals are blocked in all others, so that stopping is
/// no work of a signal handler. A second Ctrl-C ends the program at once.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&set_);
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, s);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void watch(serve::Server& server) {
    thread_ = std::thread([this, &server] {
      int signal = 0;
      sigwait(&set_, &signal);
      if (done_) return;
      server.stop();
      // Who asks again does not want to wait for what is left to do.
      sigwait(&set_, &signal);
      if (!done_) std::_Exit(128 + signal);
    });
  }
  ~StopOnSignal() {
    done_ = true;
    if (!thread_.joinable()) return;
    // Wakes sigwait if it still waits; nobody dies of it.
    // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  sigset_t set_{};
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

int view(const ViewOptions& options, const GlobalOptions& global) {
  if (report::web_bundle().empty()) {
    throw base::InputError(fmt::format(
        "view: {} Install npm and build again; `parfait report DIR` makes a page without it.",
        report::why_no_bundle()));
  }
  StopOnSignal stop;  // before there are threads: they inherit what is blocked
  const std::vector<std::filesystem::path> targets(options.targets.begin(), options.targets.end());
  serve::Session session(targets);
  serve::Server server(session, options.port);
  stop.watch(server);
  if (!global.quiet) {
    fmt::print("looking at {}; Ctrl-C ends it\n  {}\n", fmt::join(options.targets, ", "),
               server.opening_address());
    std::fflush(stdout);
  }
  std::optional<serve::OpeningFile> file;
  if (!options.no_open) {
    file.emplace(server.opening_address());
    if (!serve::open_in_browser(file->path()) && !global.quiet) {
      fmt::print(
          "open this address in a browser of this machine (from another one: ssh -L {0}:"
          "127.0.0.1:{0})\n",
          server.door().port);
      std::fflush(stdout);
    }
  }
  server.run(options.patience > 0, options.patience);
  return kDone;
}

}  // namespace
}  // namespace view_command

Command add_view(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "view", "look at a model, a problem or runs in the browser: bodies that move, live fits");
  auto options = std::make_shared<view_command::ViewOptions>();
  parser
      ->add_option("targets", options->targets,
                   "model or problem file, run folders, a folder of run folders, or CSV tables")
      ->type_name("FILE|DIR")
      ->required();
  parser->add_option("--port", options->port, "of 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(0, 65535));
  parser->add_flag("--no-open", options->no_open, "print the address, open no browser");
  parser
      ->add_flag("--once{30}", options->patience,
                 "end when the page has been closed for 30 s, or as many as --once=SECONDS says")
      ->check(CLI::PositiveNumber);
  return {parser, [options, &global] { return view_command::view(*options, global); }};
}

}  // namespace parfait::app
