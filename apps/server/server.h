#pragma once

#include <memory>
#include <string>

#include "server/rules.h"
#include "server/session.h"

namespace parfait::serve {

/// HTTP for one session, on 127.0.0.1 only. Each request is checked by rules.h before anything of
/// its body is read.
class Server {
 public:
  /// Binds; `port` 0: any that is free. InputError if it cannot be had.
  Server(Session& session, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Door& door() const;
  /// With the token; answers once the browser comes with a cookie and sends it on.
  std::string opening_address() const;

  /// Answers until stop() is called by another thread. `once`: also until no page has listened for
  /// `patience` seconds after one did.
  void run(bool once = false, double patience = 30);
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace parfait::serve
