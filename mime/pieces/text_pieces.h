#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/options/counter_options.h"
#include "config/options/hash_options.h"
#include "mime/html/html_to_text.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/piece_list.h"
#include "mime/text/oneline.h"
#include "mime/text/text_words.h"

namespace shingled::mime {

/// A text as its reader sees it.
struct VisibleText {
  std::string_view content;  ///< UTF-8; of HTML its visible text
  TextForm form = TextForm::kPlain;
  std::span<const HtmlElement> elements;  ///< of HTML: where its links lead
  /// Of all of `content`, if they were made already: their line need not be made again, nor its
  /// URLs be found where the mode is the same. Null = they were not.
  const TextWords* words = nullptr;
};

/// What is searched in a text.
enum class Searched : std::uint8_t {
  kAll,
  kLinks,  ///< links and mail addresses alone
};

/// Adds what a text names: links, mail addresses, telephone numbers, accounts. In plain text a bare
/// "example.com" is a link, too, as in the hashes.
///
/// Errors:  none; what `meter` refuses is left out, and the list notes it.
/// Threads: any.
/// Cost:    linear in the text and its elements, paid to `meter`.
/// Source:  COUNTERS.md section 2.
void add_text_pieces(const VisibleText& text, Compat compat, const PieceOptions& options,
                     WorkMeter& meter, PieceList& pieces, Searched searched = Searched::kAll);

}  // namespace shingled::mime
