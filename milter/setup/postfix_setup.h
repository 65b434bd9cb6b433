#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "config/system/socket_address.h"
#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// Settings with their values.
using SettingMap = std::map<std::string, std::string, std::less<>>;

/// What a Postfix says of itself.
struct PostfixFacts {
  SettingMap settings;        ///< all, with defaults: `postconf`
  SettingMap given;           ///< those of main.cf: `postconf -n`
  SettingMap expanded;        ///< all, with the value of each $name: `postconf -x`
  std::string services;       ///< `postconf -M`
  std::string overrides;      ///< `postconf -x -P`
  bool main_is_link = false;  ///< main.cf is a symbolic link
};

/// The lines "NAME = VALUE" that postconf prints. Other lines are left out.
/// Threads: stateless, as the other functions here.
SettingMap parse_postconf(std::string_view text);

/// The milter as Postfix names it: "inet:127.0.0.1:11339", "unix:shingled/milter.sock" if the
/// socket is below `queue_directory`, as then a chrooted Postfix finds it, too.
std::string postfix_endpoint(const SocketSpec& milter, std::string_view queue_directory);

/// A list of milters without this one, at its present or an earlier socket; the text itself if it
/// is not there.
std::string without_own(std::string_view list, const SocketSpec& milter,
                        std::string_view queue_directory);

/// Other milters keep their places. `socket_group`: the option of that name.
Plan plan_postfix(const PostfixFacts& facts, const SocketSpec& milter,
                  std::string_view socket_group);

/// Notes the services of master.cf by which a content filter gives mail back, where Postfix calls
/// the filter a second time: each message would be counted, limited and marked twice. Such a
/// service takes mail by SMTP and has an empty content_filter of its own, while others have one
/// (Postfix's FILTER_README). `has_milter`: whether a list of milters has the filter.
/// Threads: stateless.
void check_return(const PostfixFacts& facts,
                  const std::function<bool(std::string_view)>& has_milter, Plan& plan);

/// What takes this filter out of Postfix again: the opposite of plan_postfix. Only what that adds
/// is removed; nothing to remove = a plan without differences.
Plan plan_postfix_removal(const PostfixFacts& facts, const SocketSpec& milter);

}  // namespace shingled::milter::setup
