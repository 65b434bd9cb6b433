// Multiparts in multiparts and messages in messages: the work of one level is repeated at each
// level.
#include <algorithm>
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kLevels = 62;  ///< as deep as `mime.depth_max` allows
/// The size of "Content-Type: multipart/mixed; boundary==3D" when each level encodes the "=" again.
constexpr std::size_t kBoundaryFieldBytes = 40 + 2 * kLevels;
constexpr std::string_view kQuoted = "Content-Transfer-Encoding: quoted-printable\n";

/// The beginning of a multipart with that boundary, up to its first delimiter.
std::string open_multipart(const std::string& boundary) {
  return "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\n\n--" + boundary + "\n";
}

std::string nest_multiparts(std::size_t levels) {
  std::string out = head() + "Subject: hello\n";
  for (std::size_t i = 0; i < levels; ++i) out += open_multipart("b" + std::to_string(i));
  return out;
}

std::string multiparts_without_end(std::size_t bytes) {
  std::string out = head() + "Subject: hello\n";
  for (std::size_t i = 0; out.size() < bytes; ++i) out += open_multipart("b" + std::to_string(i));
  return out;
}

/// Each boundary is a prefix of the next boundary.
std::string growing_boundaries(std::size_t bytes) {
  std::string out = head() + "Subject: hello\n";
  for (std::string boundary = "b"; out.size() < bytes; boundary += 'b') {
    out += open_multipart(boundary);
  }
  return out;
}

/// Delimiters of all levels in turn.
std::string delimiters_of_all_levels(std::size_t bytes) {
  std::string out = nest_multiparts(kLevels);
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += "\n--b" + std::to_string(i % kLevels) + "\n\nx";
  }
  return out;
}

std::string message_in_base64(std::size_t bytes) {
  std::string inner = repeat("Subject: inner\n\n", "--a\n", bytes / 12);
  constexpr std::string_view kFields =
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n";
  while (inner.size() * 4 / 3 < bytes) inner = std::string(kFields) + base64(inner);
  return head() + "Subject: hello\n" + inner;
}

std::string message_in_uuencode(std::size_t bytes) {
  constexpr std::string_view kFields =
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 m\n";
  std::string inner = repeat("Subject: inner\n\n", "--a\n", bytes * 2 / 5);
  for (int level = 0; level < 3; ++level) {
    std::string out(kFields);
    for (std::size_t at = 0; at < inner.size(); at += 45) {
      const std::string line = inner.substr(at, 45);
      out += static_cast<char>(line.size() + 32);
      for (std::size_t i = 0; i < line.size(); i += 3) {
        const auto byte = [&line](std::size_t k) {
          return k < line.size() ? static_cast<unsigned char>(line[k]) : 0U;
        };
        const unsigned bits = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        for (int shift = 18; shift >= 0; shift -= 6) {
          out += static_cast<char>(0x20U + (bits >> static_cast<unsigned>(shift) & 0x3fU));
        }
      }
      out += '\n';
    }
    inner = out + "`\nend\n";
  }
  return head() + "Subject: hello\n" + inner;
}

/// Multiparts and messages in turn, all multiparts with the same boundary.
std::string alternating(std::size_t bytes) {
  std::string out = head() + "Subject: hello\n";
  for (std::size_t i = 0; i < kLevels / 2; ++i) {
    out += open_multipart("same") + "Content-Type: message/rfc822\n\n";
  }
  return repeat(out, "\n--same\n\nword", bytes);
}

/// Text after the closing delimiters of all levels, which is salvaged.
std::string footers_of_each_level(std::size_t bytes) {
  std::string out = nest_multiparts(kLevels) + "\nbody\n";
  for (std::size_t i = kLevels; i-- > 0;) out += "--b" + std::to_string(i) + "--\n";
  return count_up(out, "-- \nfooter ", " of the list\n", bytes);
}

}  // namespace

std::vector<HostileKind> nesting_kinds() {
  return {
      {"nest-multiparts", "endless multiparts in multiparts, beyond the depth limit",
       multiparts_without_end},
      {"nest-multiparts-growing-boundary", "each boundary is a prefix of the next one",
       growing_boundaries},
      {"nest-multiparts-same-boundary",
       "one boundary for all levels: which level does a delimiter belong to?",
       [](std::size_t bytes) {
         return repeat(mixed("b"), "--b\nContent-Type: multipart/mixed; boundary=b\n\n", bytes);
       }},
      {"nest-multiparts-all-delimiters", "62 levels that each look at all delimiters",
       delimiters_of_all_levels},
      {"nest-multiparts-foreign-delimiters",
       "62 levels around delimiters that belong to none of them",
       [](std::size_t bytes) { return repeat(nest_multiparts(kLevels), "--a\n", bytes); }},
      {"nest-multiparts-footers", "text behind the end of 62 levels, salvaged",
       footers_of_each_level},
      {"nest-messages", "endless beginnings of messages",
       [](std::size_t bytes) {
         return repeat(head() + "Subject: hello\n", "Content-Type: message/rfc822\n\n", bytes);
       }},
      {"nest-messages-lines", "62 nested messages around lines that look like delimiters",
       [](std::size_t bytes) { return repeat(nest_messages(kLevels), "--a\n", bytes); }},
      {"nest-messages-multipart", "62 messages around one multipart of many parts",
       [](std::size_t bytes) {
         return repeat(nest_messages(kLevels) + "Content-Type: multipart/mixed; boundary=b\n\n",
                       "--b\n\nword\n", bytes);
       }},
      {"nest-quoted-printable", "62 messages, each decoded again, around lines of --a",
       [](std::size_t bytes) { return repeat(nest_messages(kLevels, kQuoted), "--a\n", bytes); }},
      {"nest-quoted-printable-text", "62 messages, each decoded again, around one long text",
       [](std::size_t bytes) {
         return nest_messages(kLevels, kQuoted) + "Content-Type: text/plain\n\n" + prose(bytes);
       }},
      {"nest-quoted-printable-parts", "62 messages, each decoded again, around many parts",
       [](std::size_t bytes) {
         const std::string type =
             repeat("Content-Type: multipart/mixed; boundary=", "3D", kBoundaryFieldBytes);
         return repeat(nest_messages(kLevels, kQuoted) + type + "b\n\n", "--b\n\nword\n", bytes);
       }},
      {"nest-quoted-printable-html", "62 messages, each decoded again, around nested elements",
       [](std::size_t bytes) {
         return repeat(nest_messages(kLevels, kQuoted) + "Content-Type: text/html\n\n", "<div>",
                       bytes);
       }},
      {"nest-base64", "messages in base64 in base64, as deep as there is room", message_in_base64},
      {"nest-uuencode", "messages in uuencode in uuencode", message_in_uuencode},
      {"nest-alternating", "multiparts and messages in turn, all with one boundary", alternating},
      {"nest-message-siblings", "thousands of attached messages, each decoded",
       [](std::size_t bytes) {
         return repeat(mixed(),
                       "--b\nContent-Type: message/rfc822\n"
                       "Content-Transfer-Encoding: quoted-printable\n\nSubject: a\n\nword=\n\n",
                       bytes);
       }},
      {"nest-digest", "a digest of tiny messages without types",
       [](std::size_t bytes) {
         return count_up(head() + "Subject: d\nContent-Type: multipart/digest; boundary=b\n\n",
                         "--b\n\nSubject: s\n\nmessage ", "\n", bytes);
       }},
      {"nest-partial", "pieces of messages as messages",
       [](std::size_t bytes) {
         return repeat(mixed(),
                       "--b\nContent-Type: message/partial; id=a; number=1\n\nSubject: a\n\nx\n",
                       bytes);
       }},
      {"nest-reports", "delivery reports in reports",
       [](std::size_t bytes) {
         return repeat(mixed(),
                       "--b\nContent-Type: message/delivery-status\n\n"
                       "Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@b\nAction: failed\n\n",
                       bytes);
       }},
      {"nest-wide", "each level has a text and another multipart",
       [](std::size_t bytes) {
         std::string out = head() + "Subject: hello\n";
         for (std::size_t i = 0; out.size() < bytes; ++i) {
           const std::string boundary = "w" + std::to_string(i % kLevels);
           out += open_multipart(boundary) + "\nword number " + std::to_string(i) + "\n--" +
                  boundary + "\n";
         }
         return out;
       }},
  };
}

}  // namespace shingled::hostile
