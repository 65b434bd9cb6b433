// What a daemon has to do with others: the home of reports, and those that find its messages.
#include <unistd.h>

#include <array>
#include <utility>

#include "milter/api/reply.h"
#include "milter/daemon/running_daemon.h"

namespace shingled::milter::daemon {

namespace {

std::string name_of_machine() {
  constexpr std::size_t kNameBytesMax = 256;
  std::array<char, kNameBytesMax> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

/// Whether what the home of reports teaches and forgets comes here by the storage itself.
bool is_shared(const Settings& settings) {
  const auto& replication = settings.storage.replication;
  return settings.storage.backend != Backend::kEmbedded || !replication.masters.empty() ||
         !replication.mirrors.empty();
}

void forget(storage::FuzzyStore& store, const Digest& digest, std::uint32_t flag) {
  storage::Update update;
  update.kind = storage::Update::Kind::kDelete;
  update.flag = flag;
  update.fingerprint.digest = digest;
  // A hash that is not there any more is no failure, and others have not to wait for it.
  if (flag != 0) store.submit(std::move(update), [](const Status& /*done*/) {});
}

}  // namespace

void RunningDaemon::label(std::uint64_t message, std::optional<reports::ReportKind> kind) {
  const auto history = history_.current().get();
  if (history == nullptr) return;
  history::Label label = history::Label::kNone;
  if (kind == reports::ReportKind::kSpam) label = history::Label::kSpam;
  if (kind == reports::ReportKind::kHam) label = history::Label::kHam;
  history->label(message, label);
}

Status RunningDaemon::write_history() {
  const auto history = history_.current().get();
  return history == nullptr ? Status() : history->write();
}

Status RunningDaemon::start_home() {
  const ReportOptions& options = settings_->reports;
  if (options.home.empty() || !options.enabled) return {};
  peers::HomeLink::Setup setup;
  setup.label = [this](std::uint64_t message, std::optional<reports::ReportKind> kind) {
    label(message, kind);
  };
  setup.settle = [this] { return write_history(); };
  setup.site = [this] { return counters_.site(); };
  if (store_ != nullptr && !is_shared(*settings_)) {
    setup.withdraw = [store = store_.get()](const Digest& digest, std::uint32_t flag) {
      forget(*store, digest, flag);
    };
  }
  auto link = peers::HomeLink::start(options, std::move(setup), clock_, log_);
  if (!link) return link.error();
  home_.set(std::shared_ptr<peers::HomeLink>(*std::move(link)));
  return {};
}

api::ReportHome RunningDaemon::report_home() const {
  if (!settings_->reports.enabled) return {};  // then nobody keeps them
  return {settings_->reports.home, [this](const api::OutgoingReport& report) {
            const auto link = home_.get();
            if (link != nullptr) return link->take(report);
            return api::problem({ErrorCode::kUnavailable, "the daemon starts or ends; try again"});
          }};
}

api::MessagePeers RunningDaemon::message_peers() const {
  return {name_of_machine(), [this](const std::string& target) { return peer_desk_.ask(target); }};
}

}  // namespace shingled::milter::daemon
