#pragma once

#include <functional>
#include <string_view>

#include "milter/setup/plan.h"
#include "milter/setup/postfix_setup.h"

namespace shingled::milter::setup {

/// Notes the services of master.cf by which a content filter gives mail back, where Postfix calls
/// the filter a second time: each message would be counted, limited and marked twice. Such a
/// service takes mail by SMTP and has an empty content_filter of its own, while others have one
/// (Postfix's FILTER_README). `has_milter`: whether a list of milters has the filter.
/// Threads: stateless.
void check_return(const PostfixFacts& facts,
                  const std::function<bool(std::string_view)>& has_milter, Plan& plan);

}  // namespace shingled::milter::setup
