#include "milter/history/row_feed.h"

namespace shingled::milter::history {

storage::sqlite::HistoryRow RowFeed::without_kept(const storage::sqlite::HistoryRow& row) {
  return {.time = row.time,
          .queue_id = row.queue_id,
          .message = row.message,
          .sender = row.sender,
          .action = row.action,
          .label = row.label,
          .details = row.details,
          .sender_name = row.sender_name,
          .recipients = row.recipients,
          .subject = row.subject};
}

}  // namespace shingled::milter::history
