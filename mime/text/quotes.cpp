#include "mime/text/quotes.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "mime/words/letter_fold.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kLineBytesMax = 200;  // longer ones are text

/// Between dashes, or alone on a line that ends in a colon.
constexpr std::array<std::string_view, 20> kOtherMessages = {
    "Original Message",        "Forwarded Message",    "Begin forwarded message",
    "copy of the message",     "copy of your message", "original message follows",
    "Ursprüngliche Nachricht", "Original-Nachricht",   "Weitergeleitete Nachricht",
    "Message d'origine",       "Message transféré",    "Message original",
    "Mensaje original",        "Mensaje reenviado",    "Mensagem original",
    "Mensagem encaminhada",    "Messaggio originale",  "Messaggio inoltrato",
    "Oorspronkelijk bericht",  "Wiadomość oryginalna"};

constexpr std::array<std::string_view, 10> kVerbs = {"wrote",      "schrieb", "a écrit", "escribió",
                                                     "escreveu",   "scritto", "schreef", "napisał",
                                                     "napisał(a)", "skrev"};

template <std::size_t kCount>
std::vector<std::string> folded(const std::array<std::string_view, kCount>& phrases) {
  std::vector<std::string> out(kCount);
  for (std::size_t i = 0; i < kCount; ++i) fold_letters(phrases[i], out[i]);
  return out;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

bool begins_other_message(std::string_view line) {
  if (line.size() > kLineBytesMax) return false;
  if (!line.starts_with("--") && !line.ends_with(':')) return false;
  static const std::vector<std::string> phrases = folded(kOtherMessages);
  return std::any_of(phrases.begin(), phrases.end(), [line](const std::string& phrase) {
    const std::size_t at = line.find(phrase);
    // Words before it make a sentence of it, unless it stands behind dashes.
    return at == 0 ? line.size() == phrase.size() + 1
                   : at != std::string_view::npos && line.starts_with("--");
  });
}

bool is_attribution(std::string_view line) {
  if (!line.ends_with(':') || line.size() > kLineBytesMax) return false;
  if (line.find_first_of("0@") == std::string_view::npos) return false;  // a date or an address
  static const std::vector<std::string> phrases = folded(kVerbs);
  return std::any_of(phrases.begin(), phrases.end(), [line](const std::string& verb) {
    const std::size_t at = line.find(verb);
    if (at == std::string_view::npos || at == 0 || is_letter(line[at - 1])) return false;
    const std::size_t end = at + verb.size();
    return end == line.size() || !is_letter(line[end]);
  });
}

}  // namespace shingled::mime
