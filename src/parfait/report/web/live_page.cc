#include "parfait/report/web/live_page.h"

#include <fmt/format.h>

#include "parfait/report/drawing/plot_data.h"
#include "parfait/report/html/numbers.h"
#include "parfait/report/web/bundle.h"
#include "parfait/report/web/gzip.h"
#include "parfait/report/web/web_data.h"

namespace parfait::report {
namespace live_page {
namespace {

/// More motions than this are left to `parfait view`.
constexpr std::size_t kMostMotions = 24;

/// Unpacks the script and starts it. No sign in it has a meaning in XML.
constexpr const char* kLoader = R"js((async function(){
var b=document.getElementById("parfait-bundle");
if(typeof DecompressionStream==="undefined")return;
var raw=atob(b.textContent.trim()),n=new Uint8Array(raw.length);
n.set(Array.from(raw,function(c){return c.charCodeAt(0);}));
var s=new Blob([n]).stream().pipeThrough(new DecompressionStream("gzip"));
var e=document.createElement("script");
e.textContent=await new Response(s).text();
b.remove();
document.body.append(e);
})();)js";

/// Takes the numbers of pictures out of a page, and leaves `mark(i)` where they stood.
template <class Mark>
std::vector<std::string> take_plots(std::string& page, const Mark& mark) {
  std::vector<std::string> plots;
  std::string out;
  out.reserve(page.size());
  std::size_t at = 0;
  while (true) {
    const auto begin = page.find(kPlotDataBegin, at);
    if (begin == std::string::npos) break;
    const auto end = page.find(kPlotDataEnd, begin);
    out.append(page, at, begin - at);
    const auto first = begin + kPlotDataBegin.size();
    out += mark(plots.size());
    plots.push_back(page.substr(first, end - first));
    at = end + kPlotDataEnd.size();
  }
  out.append(page, at);
  page = std::move(out);
  return plots;
}

result::Scenes shown(const result::Scenes& scenes) {
  if (scenes.motions.size() <= kMostMotions) return scenes;
  result::Scenes out = scenes;
  out.motions.resize(kMostMotions);
  return out;
}

}  // namespace
}  // namespace live_page

std::string finished(std::string page, const result::Scenes& scenes, Liveness liveness) {
  if (liveness == Liveness::kStatic || web_bundle().empty()) {
    live_page::take_plots(page, [](std::size_t) { return ""; });
    return page;
  }
  const auto plots = live_page::take_plots(page, [](std::size_t i) {
    return fmt::format("<i class=\"plot\" data-n=\"{}\" hidden=\"hidden\"></i>", i);
  });
  const std::string data = base64(gzip(web_data(plots, live_page::shown(scenes))));
  const std::string script = fmt::format(
      "<script type=\"application/octet-stream\" id=\"parfait-data\">{}</script>\n"
      "<script type=\"application/octet-stream\" id=\"parfait-bundle\">{}</script>\n"
      "<script>{}</script>\n",
      data, base64(web_bundle()), live_page::kLoader);
  page.insert(page.rfind("</body>"), script);
  return page;
}

Html motion_block(const result::Scenes& scenes, Liveness liveness, MotionKind kind) {
  if (scenes.empty()) return {};
  const auto& motion = scenes.motions.front();
  const auto& scene = scenes.scenes[static_cast<std::size_t>(motion.scene)];
  std::string what =
      fmt::format("{}, {} from t = {} to {} s.",
                  counted(static_cast<long long>(scene.bodies.size()), "body", "bodies"),
                  counted(static_cast<long long>(motion.t.size()), "frame", "frames"),
                  rounded(motion.t.front(), 4), rounded(motion.t.back(), 4));
  const auto count = static_cast<long long>(scenes.motions.size());
  const bool runs = kind == MotionKind::kRuns;
  if (count > 1) {
    what = fmt::format(
        "{} The first of {}: {}",
        scenes.motions.size() > live_page::kMostMotions
            ? fmt::format("The first {} move here.", live_page::kMostMotions)
            : "",
        runs ? counted(count, "run", "runs") : counted(count, "experiment", "experiments"), what);
  }
  const std::string why =
      liveness == Liveness::kLive && web_bundle().empty()
          ? fmt::format(
                "It does not move here: {} Frames of all bodies are in motion.npy, shapes "
                "in scene.json.",
                why_no_bundle())
          : "The bodies move where JavaScript is allowed.";
  return element("p", what) +
         element("div", {{"id", "motion-view"}, {"data-kind", runs ? "runs" : "experiments"}},
                 element("p", {{"class", "soft"}}, text(why)));
}

}  // namespace parfait::report
