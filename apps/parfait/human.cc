#include <fmt/format.h>

#include <numbers>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/io/text/number.h"
#include "parfait/run/human/human.h"
#include "parfait/run/summary/people_text.h"

// parfait human: height, mass and sex in, a model file out.
namespace parfait::app {
namespace {

struct HumanOptions {
  std::string sex, posture = "standing", table = "deleva", out;
  double height = 0, mass = 0, recline = 0;
  int segments = 0;
  std::vector<std::string> lengths;
};

run::HumanRequest request_of(const HumanOptions& options) {
  run::HumanRequest request;
  request.person.sex = options.sex == "male" ? motion::Sex::kMale : motion::Sex::kFemale;
  request.person.height = options.height;
  request.person.mass = options.mass;
  for (const auto& text : options.lengths) {
    const auto equals = text.find('=');
    io::ParsedNumber number;
    if (equals != std::string::npos) {
      number = io::parse_number(std::string_view(text).substr(equals + 1));
    }
    if (number.kind != io::NumberKind::kNumber) {
      throw base::InputError(fmt::format("--length {}: must read name=value, in m.", text));
    }
    request.person.lengths[text.substr(0, equals)] = number.value;
  }
  request.posture =
      options.posture == "sitting" ? motion::Posture::kSitting : motion::Posture::kStanding;
  request.table = options.table;
  request.segments = options.segments;
  request.recline = options.recline * std::numbers::pi / 180;
  return request;
}

int human(const HumanOptions& options, const GlobalOptions& global) {
  const auto run = run::make_human(request_of(options));
  run::save(run, options.out);
  if (!global.quiet && !global.json) {
    fmt::print("{}model in {}\n", run::human_text(run), options.out);
  }
  if (global.json) fmt::print("{{\"model\": \"{}\"}}\n", options.out);
  return kDone;
}

}  // namespace

Command add_human(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand("human", "make a human model from height, mass and sex");
  auto options = std::make_shared<HumanOptions>();
  parser->add_option("--sex", options->sex, "female or male")
      ->required()
      ->check(CLI::IsMember({"female", "male"}))
      ->type_name("SEX");
  parser->add_option("--height", options->height, "in m")->required()->type_name("M");
  parser->add_option("--mass", options->mass, "in kg")->required()->type_name("KG");
  parser->add_option("--posture", options->posture, "standing (default) or sitting")
      ->check(CLI::IsMember({"standing", "sitting"}))
      ->type_name("POSTURE");
  parser->add_option("--table", options->table, "deleva (default) or dumas")
      ->check(CLI::IsMember({"deleva", "dumas"}))
      ->type_name("TABLE");
  parser
      ->add_option("--segments", options->segments,
                   "16 or 17 (deleva), 15 (dumas); a sitting person of deleva has 17")
      ->type_name("N");
  parser
      ->add_option("--length", options->lengths,
                   "a measured length instead of the scaled one, in m; may be repeated")
      ->type_name("NAME=M")
      ->allow_extra_args(false);
  parser->add_option("--recline", options->recline, "sitting: of the trunk, backwards, in degrees")
      ->type_name("DEG");
  parser->add_option("--out", options->out, "model file to write")->required()->type_name("FILE");
  return {parser, [options, &global] { return human(*options, global); }};
}

}  // namespace parfait::app
