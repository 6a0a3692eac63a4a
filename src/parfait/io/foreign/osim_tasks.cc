#include "parfait/io/foreign/osim_tasks.h"

#include "parfait/io/foreign/xml_view.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

void find_tasks(const XmlView& element, std::vector<MarkerTask>& out, std::string& other_file) {
  for (const XmlView& child : element.children()) {
    if (child.name() == "IKMarkerTask") {
      MarkerTask task;
      task.marker = child.required_attribute("name");
      task.place = child.place();
      const bool applies = child.truth_of("apply").value_or(true);
      task.weight = applies ? child.number_of("weight").value_or(1) : 0;
      if (!(task.weight >= 0)) child.fail("the weight of a marker must be at least 0.");
      out.push_back(task);
      continue;
    }
    if (child.name() == "IKTaskSet" || child.name() == "task_set_file") {
      const auto named = child.attribute("file");
      if (named && !named->empty()) other_file = *named;
      if (child.name() == "task_set_file" && !child.text().empty()) other_file = child.text();
    }
    find_tasks(child, out, other_file);
  }
}

}  // namespace

std::vector<MarkerTask> read_osim_tasks(const std::filesystem::path& file) {
  std::vector<MarkerTask> tasks;
  std::string other;
  {
    const XmlSource source(read_text_file(file), file.string());
    find_tasks(XmlView(source, source.root().parent()), tasks, other);
  }
  if (tasks.empty() && !other.empty()) {
    const auto path = file.parent_path() / other;
    const XmlSource source(read_text_file(path), path.string());
    find_tasks(XmlView(source, source.root().parent()), tasks, other);
  }
  if (tasks.empty()) {
    throw base::InputError({file.string(), 0, 0}, "has no IKMarkerTask: no weights of markers.");
  }
  return tasks;
}

}  // namespace parfait::io
