#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/random.h"
#include "config/words/units.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/desk/bucket_client.h"
#include "milter/desk/bucket_names.h"

namespace shingled::milter::cli {

namespace {

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
  using Names = desk::BucketNames;

  BucketRun(const SettingsArguments& choice, const BucketArguments& arguments, Console& console)
      : choice_(choice), arguments_(arguments), console_(console) {}

  /// Calls `work` with the buckets of the settings.
  template <typename Work>
  int with_client(Work work) {
    settings_ = choice_.load(console_);
    if (settings_ == nullptr) return EX_CONFIG;
    desk::BucketClient client(*settings_, clock_, random_);
    return work(client, desk::BucketNames(settings_->ratelimit, client));
  }

  int list() {
    return with_client([&](desk::BucketClient& client, const Names& /*names*/) {
      const auto page = client.list(arguments_.part, arguments_.limit);
      if (!page) return failed(page.error());
      print(*page, "there are more; see --limit");
      return EX_OK;
    });
  }

  int show() {
    return each_key([&](desk::BucketClient& client, const Names& names, const std::string& name) {
      const std::string key = names.known_key(name);
      const auto page = client.show(key);
      if (!page && page.error().code != ErrorCode::kNotFound) return failed(page.error());
      if (!page) return names.has_type(key) ? empty(key) : show_all_types(names, key);
      print({{"buckets", Json::array({*page})}}, "");
      return EX_OK;
    });
  }

  int reset() {
    return each_key([&](desk::BucketClient& client, const Names& names, const std::string& name) {
      const std::string key = names.known_key(name);
      if (!names.is_bucket(key)) return wants_type(names, key);
      const auto page = client.reset(key);
      if (!page) return failed(page.error());
      if (!page->value("reset", false)) return empty(key);
      console_.line(terminal_safe(key) + ": empty now");
      return EX_OK;
    });
  }

  int set() {
    return with_client([&](desk::BucketClient& client, const Names& names) {
      if (!names.is_bucket(arguments_.key)) return wants_type(names, arguments_.key);
      const auto rate = names.wanted_rate(arguments_.key, arguments_.rate);
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
    return with_client([&](desk::BucketClient& client, const Names& names) {
      int worst = EX_OK;
      for (const std::string& key : arguments_.keys) {
        worst = worse_exit_code(worst, work(client, names, key));
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

  /// For an address without a type: users do not know all types by heart.
  int show_all_types(const Names& names, const std::string& text) {
    const auto page = names.find(text);
    if (!page) return failed(page.error());
    if (page->at("buckets").empty()) {
      console_.error(text, "no bucket in use has this text in its name; " + names.names_hint());
      return EX_NOINPUT;
    }
    print(*page, "there are more; see shingled buckets list");
    return EX_OK;
  }

  /// Commands that change a bucket need its full name.
  int wants_type(const Names& names, const std::string& text) {
    const auto page = names.find(text);
    if (!page) return failed(page.error());
    std::string found;
    for (const Json& bucket : page->at("buckets")) found += " " + bucket.value("key", "");
    console_.error(text, found.empty() ? "is not a bucket; " + names.names_hint()
                                       : "give the full name of a bucket, such as" + found);
    return EX_USAGE;
  }

  int empty(const std::string& key) {
    console_.error(terminal_safe(key), "the bucket is empty");
    return EX_NOINPUT;
  }

  int failed(const Error& error) {
    console_.error("buckets", error.message);
    return exit_code(error.code);
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
