#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/random.h"
#include "config/words/units.h"
#include "milter/cli/access/bucket_client.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/ratelimit/limit_demands.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kFoundShown = 100;

struct BucketArguments {
  std::string part;
  std::size_t limit = 100;
  std::vector<std::string> keys;
  std::string key;
  double drops = 0;
  std::string rate;
  bool json = false;
};

/// "12.0 of 100, 2/m, empty in 6m".
TableRow bucket_row(const Json& bucket) {
  const auto number = [&](const char* name) { return bucket.value(name, 0.0); };
  const auto empty =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(number("empty_in")));
  return {terminal_safe(bucket.value("key", "")),
          fmt::format("{:.1f} of {:g}", number("drops"), number("burst")),
          fmt::format("{:g} per hour", number("leak") * 3600),
          "empty in " + config::format_duration(empty)};
}

class BucketRun {
 public:
  BucketRun(const SettingsArguments& choice, const BucketArguments& arguments, Console& console)
      : choice_(choice), arguments_(arguments), console_(console) {}

  /// Calls `work` with the buckets of the settings.
  template <typename Work>
  int with_client(Work work) {
    settings_ = choice_.load(console_);
    if (settings_ == nullptr) return EX_CONFIG;
    BucketClient client(*settings_, clock_, random_);
    return work(client);
  }

  int list() {
    return with_client([&](BucketClient& client) {
      const auto page = client.list(arguments_.part, arguments_.limit);
      if (!page) return failed(page.error());
      print(*page, "there are more; see --limit");
      return EX_OK;
    });
  }

  int show() {
    return each_key([&](BucketClient& client, const std::string& name) {
      const std::string key = known_key(client, name);
      const auto page = client.show(key);
      if (!page && page.error().code != ErrorCode::kNotFound) return failed(page.error());
      if (!page) return has_type(key) ? empty(key) : show_all_types(client, key);
      print({{"buckets", Json::array({*page})}}, "");
      return EX_OK;
    });
  }

  int reset() {
    return each_key([&](BucketClient& client, const std::string& name) {
      const std::string key = known_key(client, name);
      if (!is_bucket(client, key)) return wants_type(client, key);
      const auto page = client.reset(key);
      if (!page) return failed(page.error());
      if (!page->value("reset", false)) return empty(key);
      console_.line(terminal_safe(key) + ": empty now");
      return EX_OK;
    });
  }

  int set() {
    return with_client([&](BucketClient& client) {
      if (!is_bucket(client, arguments_.key)) return wants_type(client, arguments_.key);
      const auto rate = wanted_rate(client);
      if (!rate) {
        console_.error(terminal_safe(arguments_.key), rate.error().message);
        return usage_exit_code(rate.error());
      }
      const auto page = client.set(arguments_.key, arguments_.drops, *rate);
      if (!page) return failed(page.error());
      console_.line(fmt::format("{}: holds {:g} of {:g} now", terminal_safe(arguments_.key),
                                std::min(arguments_.drops, rate->burst), rate->burst));
      return EX_OK;
    });
  }

 private:
  template <typename Work>
  int each_key(Work work) {
    return with_client([&](BucketClient& client) {
      int worst = EX_OK;
      for (const std::string& key : arguments_.keys) {
        worst = worse_exit_code(worst, work(client, key));
      }
      return worst;
    });
  }

  /// Prints the buckets of a page; `more` is printed if the page was cut.
  void print(const Json& page, std::string_view more) {
    std::vector<TableRow> rows;
    for (const Json& bucket : page.at("buckets")) {
      if (arguments_.json) {
        console_.json(bucket);
      } else {
        rows.push_back(bucket_row(bucket));
      }
    }
    print_table(rows, "", console_);
    if (page.value("more", false)) console_.note(more);
  }

  /// Whether a name begins with a type, of the settings if they have any.
  [[nodiscard]] bool has_type(const std::string& key) const {
    const std::string_view type = storage::buckets::bucket_type(key);
    const auto& types = settings_->ratelimit.rates;
    return type.size() < key.size() &&
           (types.empty() || std::any_of(types.begin(), types.end(), [&](const BucketType& known) {
              return known.name == type;
            }));
  }

  /// The bucket that a name means: itself, or what the daemon calls it, however it is spelled.
  std::string known_key(BucketClient& client, const std::string& name) const {
    if (client.show(name)) return name;
    return ratelimit::bucket_key_of(settings_->ratelimit, name).value_or(name);
  }

  /// Whether it is the full name of a bucket. The type may be one that is no longer configured, if
  /// the bucket is not empty.
  bool is_bucket(BucketClient& client, const std::string& key) const {
    return has_type(key) || client.show(key).has_value();
  }

  /// The buckets of all types with this text in their names, as given or as names spell it.
  Result<Json> find(BucketClient& client, const std::string& text) {
    auto page = client.list(text, kFoundShown);
    if (!page || !page->at("buckets").empty()) return page;
    const std::string normal =
        ratelimit::normal_mailbox(ratelimit::parse_envelope_address(text)).text();
    page = client.list(normal, kFoundShown);
    if (!page || !page->at("buckets").empty()) return page;
    const std::string_view part[] = {text};
    return client.list(storage::buckets::make_bucket_key("", part).substr(1), kFoundShown);
  }

  /// For an address without a type: users do not know all types by heart.
  int show_all_types(BucketClient& client, const std::string& text) {
    const auto page = find(client, text);
    if (!page) return failed(page.error());
    if (page->at("buckets").empty()) {
      console_.error(text, "no bucket in use has this text in its name; " + names_hint());
      return EX_NOINPUT;
    }
    print(*page, "there are more; see shingled buckets list");
    return EX_OK;
  }

  /// Commands that change a bucket need its full name.
  int wants_type(BucketClient& client, const std::string& text) {
    const auto page = find(client, text);
    if (!page) return failed(page.error());
    std::string found;
    for (const Json& bucket : page->at("buckets")) found += " " + bucket.value("key", "");
    console_.error(text, found.empty() ? "is not a bucket; " + names_hint()
                                       : "give the full name of a bucket, such as" + found);
    return EX_USAGE;
  }

  [[nodiscard]] std::string names_hint() const {
    std::string types;
    for (const BucketType& type : settings_->ratelimit.rates) {
      types += (types.empty() ? "" : ", ") + type.name;
    }
    return "names are TYPE:PART..., such as to:user@example.org" +
           (types.empty() ? "; ratelimit.rates has no types" : "; types: " + types);
  }

  int empty(const std::string& key) {
    console_.error(terminal_safe(key), "the bucket is empty");
    return EX_NOINPUT;
  }

  int failed(const Error& error) {
    console_.error("buckets", error.message);
    return exit_code(error.code);
  }

  /// The rate of --rate, else of the bucket, else of its type in the settings.
  Result<BucketRate> wanted_rate(BucketClient& client) {
    const std::string_view type = storage::buckets::bucket_type(arguments_.key);
    if (!arguments_.rate.empty()) {
      const auto rate = config::parse_rate(arguments_.rate);
      if (rate && rate->amount >= 1) {
        return BucketRate{rate->amount,
                          rate->amount / std::chrono::duration<double>(rate->time).count()};
      }
      return Error{ErrorCode::kInvalid, "--rate is not a rate such as 100/1h"};
    }
    if (const auto page = client.show(arguments_.key); page) {
      return BucketRate{page->value("burst", 0.0), page->value("leak", 0.0)};
    }
    for (const BucketType& known : settings_->ratelimit.rates) {
      if (known.name == type && known.rate.limits()) return known.rate;
    }
    return Error{ErrorCode::kInvalid, "it is empty and its type is not configured: give --rate"};
  }

  const SettingsArguments& choice_;
  const BucketArguments& arguments_;
  Console& console_;
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<const Settings> settings_;
};

/// Adds a verb; `more` adds its own arguments. All verbs have -c and -o.
template <typename More>
void add_verb(CLI::App& parent, const std::shared_ptr<SettingsArguments>& choice, Command& chosen,
              const char* name, const char* summary, int (BucketRun::*run)(), More more) {
  CLI::App* verb = parent.add_subcommand(name, summary);
  verb->fallthrough();
  const auto arguments = std::make_shared<BucketArguments>();
  more(*verb, *arguments);
  verb->callback([choice, arguments, run, &chosen] {
    chosen = [choice, arguments, run](Console& console) {
      return (BucketRun(*choice, *arguments, console).*run)();
    };
  });
}

}  // namespace

void add_buckets_command(CLI::App& app, Command& chosen) {
  CLI::App* buckets =
      app.add_subcommand("buckets", "Show, empty and fill the buckets of the rate limits");
  buckets->require_subcommand(1);
  const auto choice = std::make_shared<SettingsArguments>();
  choice->add_with_daemon_to(*buckets);
  const auto add_json = [](CLI::App& verb, BucketArguments& arguments) {
    verb.add_flag("--json", arguments.json, "One JSON object per line and bucket");
  };
  const auto add_keys = [](CLI::App& verb, BucketArguments& arguments) {
    verb.add_option("KEY", arguments.keys,
                    "Names of buckets as in list and in the log; show also takes a part of a name")
        ->required();
  };
  add_verb(*buckets, choice, chosen, "list", "List buckets that are not empty, the fullest first",
           &BucketRun::list, [&](CLI::App& verb, BucketArguments& arguments) {
             verb.add_option("PART", arguments.part, "Only buckets with this text in their names");
             verb.add_option("--limit", arguments.limit, "At most this many (100)")
                 ->type_name("N")
                 ->check(CLI::Range(1U, 10'000U));
             add_json(verb, arguments);
           });
  add_verb(*buckets, choice, chosen, "show", "Show how full buckets are", &BucketRun::show,
           [&](CLI::App& verb, BucketArguments& arguments) {
             add_keys(verb, arguments);
             add_json(verb, arguments);
           });
  add_verb(*buckets, choice, chosen, "reset", "Empty buckets", &BucketRun::reset, add_keys);
  add_verb(*buckets, choice, chosen, "set", "Set the level of a bucket", &BucketRun::set,
           [](CLI::App& verb, BucketArguments& arguments) {
             verb.add_option("KEY", arguments.key, "The bucket")->required();
             verb.add_option("DROPS", arguments.drops, "New level, at most its burst")
                 ->required()
                 ->check(CLI::Range(0.0, 1e9));
             verb.add_option("--rate", arguments.rate,
                             "Its rate, such as 100/1h (default: that of the bucket or its type)")
                 ->type_name("RATE");
           });
  buckets->footer(
      R"(Buckets in Redis are read there. Buckets of the daemon are read through its status page
(http.listen), or from its file while it is not running.

show looks in all types when the name has no type; reset and set need the full name.

Example:
  shingled buckets list user@example.org
  shingled buckets reset to:user@example.org)");
}

}  // namespace shingled::milter::cli
