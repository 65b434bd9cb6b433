#include "milter/similar/similar_counters.h"

namespace shingled::milter::similar {

void SimilarCounters::searched(const SimilarFacts& facts, Duration time) {
  pieces_.add(facts.pieces);
  containers_.add(facts.containers);
  time_.observe(time);
  if (!facts.hits.empty()) {
    auto hits = hits_.lock();
    for (const SimilarHit& hit : facts.hits) ++(*hits)[hit.list];
  }
  if (!facts.notes.empty()) {
    auto notes = notes_.lock();
    for (const std::string& note : facts.notes) ++(*notes)[note];
  }
}

void SimilarCounters::report(MetricReport& report) const {
  const HistogramReading times = time_.read();
  if (times.count() == 0) return;
  report.counter({"shingled_similar_pieces", "Attachments, their entries and texts looked up."},
                 pieces_.read());
  report.counter({"shingled_similar_containers", "Containers opened to look inside."},
                 containers_.read());
  for (const auto& [list, count] : *hits_.lock()) {
    report.counter({"shingled_similar_hits", "Pieces that were like a sample, by its list."}, count,
                   {{"list", list}});
  }
  for (const auto& [note, count] : *notes_.lock()) {
    report.counter({"shingled_similar_notes", "Messages of which something was left out, and why."},
                   count, {{"note", note}});
  }
  report.histogram({"shingled_mail_stage_seconds", "Time of the stages of a message."}, times,
                   {{"stage", "similar_lookup"}});
}

}  // namespace shingled::milter::similar
