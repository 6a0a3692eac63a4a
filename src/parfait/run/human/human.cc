#include "parfait/run/human/human.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/foreign/heiman_lua.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/text/text_file.h"
#include "parfait/mbs/model.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"

namespace parfait::run {
namespace {

motion::Segmentation segmentation_of(const HumanRequest& request) {
  using motion::Segmentation;
  if (request.table != "deleva" && request.table != "dumas") {
    throw base::InputError(
        fmt::format("table \"{}\" is not known: deleva or dumas.", request.table));
  }
  const bool is_dumas = request.table == "dumas";
  switch (request.segments) {
    case 0:
      if (is_dumas) return Segmentation::kTorso;
      return request.posture == motion::Posture::kSitting ? Segmentation::kFiveTrunkParts
                                                          : Segmentation::kThreeTrunkParts;
    case 15:
      if (is_dumas) return Segmentation::kTorso;
      break;
    case 16:
      if (!is_dumas) return Segmentation::kThreeTrunkParts;
      break;
    case 17:
      if (!is_dumas) return Segmentation::kFiveTrunkParts;
      break;
    default:
      break;
  }
  throw base::InputError(fmt::format(
      "{} segments: the table of de Leva gives 16 or 17, that of Dumas 15.", request.segments));
}

}  // namespace

HumanRun make_human(const HumanRequest& request) {
  motion::HumanRequest asked;
  asked.person = request.person;
  asked.segmentation = segmentation_of(request);
  asked.posture = request.posture;
  asked.recline = request.recline;
  if (request.recline != 0 && request.posture == motion::Posture::kStanding) {
    throw base::InputError("recline: only a sitting person leans back.");
  }
  HumanRun run;
  run.human = motion::make_human(asked);
  run.text = io::model_text(run.human.model);
  static_cast<void>(mbs::build(run.human.model));  // throws what is wrong with it
  return run;
}

HeiManRun make_heiman(const motion::HeiManRequest& request, HeiManFormat format) {
  HeiManRun run;
  run.heiman = motion::make_heiman(request);
  run.text = format == HeiManFormat::kLuaModel ? io::heiman_lua_text(run.heiman)
                                               : io::model_text(run.heiman.model);
  static_cast<void>(motion::make_skeleton(run.heiman.model));  // throws what is wrong with it
  return run;
}

void save(const HeiManRun& run, const std::filesystem::path& file) {
  io::write_text_file(file, run.text);
}

void save(const HumanRun& run, const std::filesystem::path& file) {
  io::write_text_file(file, run.text);
}

}  // namespace parfait::run
