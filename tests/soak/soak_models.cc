// soak_models SEED FILE: a random mechanism of the tests as a model file, the same for the same
// seed. Prints "conservative" if its energy must not change.
#include <fmt/format.h>

#include <cstdlib>

#include "parfait/io/model/model_file.h"
#include "parfait/io/text/text_file.h"
#include "testing/random_models.h"

int main(int argc, char** argv) {
  using namespace parfait;  // NOLINT(google-build-using-namespace): the body of main
  if (argc != 3) {
    fmt::print(stderr, "usage: soak_models SEED FILE\n");
    return 2;
  }
  const auto seed = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  testing_support::Random random(seed);
  testing_support::RandomModelOptions options;
  options.bodies = 1 + random.index(6);
  options.tree = random.coin();
  options.free_root = random.coin(0.2);
  options.mass_ratio = random.coin(0.3) ? 1000 : 2;
  options.forces = random.coin() ? random.index(3) : 0;
  const auto model = testing_support::random_model(seed, options);
  io::write_text_file(argv[2], io::model_text(model.description));
  fmt::print("{}\n", options.forces == 0 ? "conservative" : "driven");
  return 0;
}
