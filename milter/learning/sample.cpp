#include "milter/learning/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "config/base/byte_reader.h"
#include "milter/history/row_code.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::learning {

namespace {

using Side = MessageLabel::Side;
using storage::sqlite::HistoryReader;

constexpr std::size_t kPhrasesLeast = 2;
/// So much of the mail of one sender has the full weight of people's word.
constexpr double kOfSenderMax = 20;
constexpr double kSecondsOfDay = 86'400;
constexpr double kMicroseconds = 1e6;

/// A message before it is known who is like whom.
struct Candidate {
  TaughtMessage message;
  std::uint64_t sender = 0;  ///< 0 = not known
  std::vector<std::uint32_t> phrases;
};

std::vector<std::uint32_t> phrases_of(const history::MessageRecord& record) {
  std::vector<std::uint32_t> out;
  for (const history::PieceRecord& piece : record.pieces)
    if (piece.type == PieceType::kPhrase || piece.type == PieceType::kRobustText)
      out.push_back(piece.shingle);
  return out;
}

class Collector {
 public:
  Collector(const ActionOptions& actions, const SampleOptions& options)
      : actions_(actions), options_(options) {}

  void add(const HistoryReader::View& row) {
    if (out_.first == 0) out_.first = row.time;
    out_.last = row.time;
    if (!history::decode_record(row.details, record_)) {
      ++out_.broken;
      return;
    }
    const std::string id(as_text(row.queue_id));
    MessageLabel label = label_of(row.action, row.label, record_, actions_);
    float weight = label.by_people ? kPeopleWeight : 1;
    bool given = false;
    if (options_.given != nullptr) {
      const auto found = options_.given->find(id);
      if (found == options_.given->end() || record_.unseen) return;
      given = !found->second.own;
      if (given) {
        label = {found->second.bad ? Side::kBad : Side::kWanted, false};
        weight = found->second.weight;
      }
    }
    if (label.side == Side::kNone) return;
    count(label);
    const std::size_t place = place_for(label);
    if (place == kNowhere) return;
    Candidate taken;
    taken.message = {row.time,
                     id,
                     model::vector_of(record_),
                     model::score_of_others(record_),
                     label.side == Side::kBad,
                     label.by_people,
                     weight};
    taken.sender = row.sender;
    // What somebody else labels says nothing of other messages.
    if (!given) taken.phrases = phrases_of(record_);
    auto& list = label.by_people ? people_ : others_;
    if (place == list.size()) {
      list.push_back(std::move(taken));
    } else {
      list[place] = std::move(taken);
    }
  }

  Sample take() {
    const double thinned =
        others_.empty() ? 1
                        : static_cast<double>(seen_others_) / static_cast<double>(others_.size());
    find_alike();
    bound_senders();
    for (Candidate& one : others_) {
      one.message.weight *= static_cast<float>(std::max(thinned, 1.0));
      out_.messages.push_back(std::move(one.message));
    }
    for (Candidate& one : people_) out_.messages.push_back(std::move(one.message));
    std::ranges::sort(out_.messages, {}, &TaughtMessage::time);
    out_.left_out = out_.bad + out_.wanted - out_.messages.size();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;

  void count(const MessageLabel& label) {
    const bool bad = label.side == Side::kBad;
    ++(bad ? out_.bad : out_.wanted);
    if (label.by_people) ++(bad ? out_.reported : out_.rescued);
  }

  /// Each message of a list has the same chance to stay.
  std::size_t place_for(const MessageLabel& label) {
    auto& list = label.by_people ? people_ : others_;
    std::uint64_t& seen = label.by_people ? seen_people_ : seen_others_;
    const std::size_t most = options_.messages_max / 2;
    ++seen;
    if (list.size() < most) return list.size();
    const std::uint64_t place = dice_() % seen;
    return place < most ? static_cast<std::size_t>(place) : kNowhere;
  }

  /// A few people who report each copy of a newsletter, or a person who says that all mail to
  /// them is wanted, must not outweigh what all others say.
  void bound_senders() {
    std::map<std::pair<std::uint64_t, bool>, double> counts;
    for (const Candidate& one : people_)
      if (one.sender != 0) ++counts[{one.sender, one.message.bad}];
    for (Candidate& one : people_) {
      if (one.sender == 0) continue;
      const double share = kOfSenderMax / counts[{one.sender, one.message.bad}];
      if (share >= 1) continue;
      one.message.weight = std::max(static_cast<float>(share * one.message.weight), 1.0F);
    }
  }

  /// The first messages of a campaign come before anybody has reported it.
  void find_alike() {
    std::set<std::uint32_t> bad;
    for (const Candidate& one : people_)
      if (one.message.bad) bad.insert(one.phrases.begin(), one.phrases.end());
    for (const Candidate& one : people_)
      if (!one.message.bad)
        for (const std::uint32_t phrase : one.phrases) bad.erase(phrase);
    for (Candidate& one : others_) {
      if (one.message.bad || one.phrases.size() < kPhrasesLeast) continue;
      const auto shared = static_cast<std::size_t>(std::ranges::count_if(
          one.phrases, [&](std::uint32_t phrase) { return bad.contains(phrase); }));
      if (shared < kPhrasesLeast || shared * 2 < one.phrases.size()) continue;
      one.message.bad = true;
      ++out_.alike;
      ++out_.bad;
      --out_.wanted;
    }
  }

  const ActionOptions& actions_;
  const SampleOptions& options_;
  history::MessageRecord record_;
  Sample out_;
  std::vector<Candidate> people_;
  std::vector<Candidate> others_;
  std::uint64_t seen_people_ = 0;
  std::uint64_t seen_others_ = 0;
  std::mt19937_64 dice_{1};  // the same history gives the same sample
};

}  // namespace

Result<Sample> take_sample(const std::string& file, const HistoryReader::Span& span,
                           const ActionOptions& actions, const SampleOptions& options,
                           const storage::Watcher& watcher) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  Collector collector(actions, options);
  if (!*ends) return collector.take();
  const replay::TimeSlices slices(span, **ends);
  if (slices.empty()) return collector.take();
  for (std::uint64_t slice = 0; slice < replay::TimeSlices::kCount; ++slice) {
    const Status read = (*reader)->read(slices.at(slice), [&](const HistoryReader::View& row) {
      collector.add(row);
      return true;
    });
    if (!read) return read.error();
    if (!watcher({.step = "reading", .done = slice, .total = replay::TimeSlices::kCount}))
      return storage::stopped();
  }
  return collector.take();
}

Missing missing_of(std::uint64_t bad, std::uint64_t wanted, std::int64_t first, std::int64_t last) {
  Missing out{bad < kBadMin ? kBadMin - bad : 0, wanted < kWantedMin ? kWantedMin - wanted : 0, 0};
  const double days =
      std::max(static_cast<double>(last - first) / kMicroseconds / kSecondsOfDay, 0.5);
  const auto wait = [&](std::uint64_t missing, std::uint64_t there) {
    if (missing == 0) return 0.0;
    if (there == 0) return -1.0;
    return static_cast<double>(missing) / (static_cast<double>(there) / days);
  };
  const double for_bad = wait(out.bad, bad);
  const double for_wanted = wait(out.wanted, wanted);
  out.days = for_bad < 0 || for_wanted < 0 ? -1 : std::max(for_bad, for_wanted);
  return out;
}

std::string missing_text(std::uint64_t bad, std::uint64_t wanted, const Missing& missing) {
  std::string out;
  if (missing.bad > 0) out = fmt::format("{} of {} bad messages", bad, kBadMin);
  if (missing.wanted > 0)
    out += fmt::format("{}{} of {} wanted ones", out.empty() ? "" : ", ", wanted, kWantedMin);
  if (out.empty()) return out;
  if (missing.days < 0) return out + "; at the present rate the missing ones never come";
  return out +
         fmt::format("; the missing ones take about {:.1f} days at the present rate", missing.days);
}

}  // namespace shingled::milter::learning
