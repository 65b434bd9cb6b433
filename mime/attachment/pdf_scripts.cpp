#include "mime/attachment/pdf_scripts.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "mime/attachment/pdf_objects.h"
#include "mime/charset/charset.h"
#include "mime/fingerprint/digests.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kScriptBytesMin = 256;
constexpr Steps kStepsAScriptByte = 10;
constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr std::size_t kContentsMax = 10'000;

/// Runs of spaces and line breaks become one space and vanish at the ends; other control bytes
/// vanish; bytes that are not UTF-8 become "?".
std::string one_line(std::string_view script) {
  std::string out;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const auto byte = static_cast<unsigned char>(script[i]);
    if (byte == ' ' || byte == '\r' || byte == '\n') {
      while (i + 1 < script.size() && kBlanks.find(script[i + 1]) != std::string_view::npos) ++i;
      if (!out.empty()) out.push_back(' ');
    } else if (byte > ' ' && byte != 0x7f) {
      out.push_back(script[i]);
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  WorkMeter unpaid(0);
  return decode_word(out, "utf-8", unpaid);
}

class ScriptFinder {
 public:
  ScriptFinder(std::string_view body, WorkMeter& meter) : objects_(body, meter), meter_(meter) {}

  PdfScripts find() {
    for (PdfObject& object : objects_.all()) {
      if (object.readable) look_at(&object);
    }
    if (objects_.given_up() || meter_.refused()) return {};
    return std::move(scripts_);
  }

 private:
  /// Looks at an object and at the objects it opens, each only once.
  void look_at(PdfObject* object) {
    while (object != nullptr && object->readable && !object->typed) {
      const PdfValue* said = object->entry(PdfKey::kType);
      const bool typed = said != nullptr && said->is_text();
      const bool implied =
          !typed && object->entry(PdfKey::kS) != nullptr && object->entry(PdfKey::kJs) != nullptr;
      if (!typed && !implied) return;
      object->typed = true;
      mark_contents(*object);
      const std::string type = typed ? pdf_text(*said).value_or("") : "Javascript";
      if (type == "Action" || type == "Javascript") take_script(*object);
      if (type != "Catalog") return;
      const PdfValue* action = object->entry(PdfKey::kOpenAction);
      object = action == nullptr ? nullptr : objects_.resolve(*action).object;
    }
  }

  /// The content of a page is never an action.
  void mark_contents(const PdfObject& page) {
    const PdfValue* contents = page.entry(PdfKey::kContents);
    if (contents == nullptr) return;
    const auto mark = [this](const PdfValue& value) {
      if (PdfObject* object = objects_.resolve(value).object) object->typed = true;
    };
    if (contents->kind == PdfValue::Kind::kReference) return mark(*contents);
    if (contents->kind != PdfValue::Kind::kArray) return;
    if (!meter_.spend(contents->text.size(), kStepsAScriptByte)) return;
    for (const PdfValue& value : read_pdf_values(contents->text, kContentsMax)) mark(value);
  }

  void take_script(const PdfObject& action) {
    const PdfValue* js = action.entry(PdfKey::kJs);
    if (js == nullptr) return;
    const PdfTarget target = objects_.resolve(*js);
    std::optional<std::string> script;
    if (target.object != nullptr) {
      script = objects_.stream_of(*target.object);
    } else if (target.value && target.value->is_text()) {
      script = pdf_text(*target.value);
    }
    if (script) add(*script);
  }

  void add(std::string_view script) {
    if (!meter_.spend(script.size(), kStepsAScriptByte)) return;
    const std::string line = one_line(script);
    scripts_.found = true;
    if (line.size() < kScriptBytesMin) return;
    const Digest digest = fingerprint::script_digest(line);
    if (seen_.insert(digest.bytes).second) scripts_.digests.push_back(digest);
  }

  PdfObjects objects_;
  WorkMeter& meter_;
  PdfScripts scripts_;
  std::set<decltype(Digest::bytes)> seen_;
};

}  // namespace

PdfScripts find_pdf_scripts(std::string_view body, WorkMeter& meter) {
  return ScriptFinder(body, meter).find();
}

}  // namespace shingled::mime
