#include "config/keys/forms.h"

#include "config/document/yaml_document.h"

namespace shingled::config {

namespace {

std::string shown_socket(const SocketSpec& socket) {
  if (socket.kind == SocketSpec::Kind::kUnix) return socket.to_string();
  const std::string port = ':' + std::to_string(socket.port);
  if (socket.host.empty()) return '*' + port;
  const bool brackets = socket.host.find(':') != std::string::npos;
  return (brackets ? '[' + socket.host + ']' : socket.host) + port;
}

template <typename Values, typename ToText>
std::string flow_of(const Values& values, const ToText& to_text) {
  std::vector<std::string> words;
  for (const auto& value : values) words.push_back(to_text(value));
  return flow_list(words);
}

}  // namespace

std::string flow_scalar(std::string_view text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = text;
  return flow_text(node);
}

std::string flow_list(const std::vector<std::string>& words) {
  YamlNode out;
  out.kind = YamlNode::Kind::kList;
  for (const std::string& word : words) {
    YamlNode& item = out.items.emplace_back();
    item.kind = YamlNode::Kind::kScalar;
    item.text = word;
  }
  return flow_text(out);
}

std::string flow_networks(const std::vector<Network>& networks) {
  return flow_of(networks, [](const Network& network) { return network.to_string(); });
}

std::string flow_sockets(const std::vector<SocketSpec>& sockets) {
  return flow_of(sockets, shown_socket);
}

std::string Real::range() const {
  if (most < kAny) return shortest_text(least) + " to " + shortest_text(most);
  return least > -kAny ? shortest_text(least) + " or more" : "";
}

}  // namespace shingled::config
