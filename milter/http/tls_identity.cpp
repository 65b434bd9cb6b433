#include "milter/http/tls_identity.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/system/whole_file.h"

namespace shingled::milter::http {

struct TlsIdentity::Parts {
  Parts() = default;
  ~Parts() {
    for (unsigned i = 0; i < count; ++i) gnutls_pcert_deinit(&chain[i]);
    if (key != nullptr) gnutls_privkey_deinit(key);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) = delete;
  Parts& operator=(Parts&&) = delete;

  static constexpr unsigned kChainMax = 16;
  std::array<gnutls_pcert_st, kChainMax> chain{};
  unsigned count = 0;
  gnutls_privkey_t key = nullptr;
  std::int64_t expires = 0;
};

namespace {

constexpr std::size_t kPemBytesMax = 1024UL * 1024;

gnutls_datum_t datum_of(std::string& text) {
  return {reinterpret_cast<unsigned char*>(text.data()), static_cast<unsigned>(text.size())};
}

Error refused(const std::string& path, int code) {
  return {ErrorCode::kInvalid, path + ": " + gnutls_strerror(code)};
}

Status read_chain(const std::string& path, std::string& pem, TlsIdentity::Parts& out) {
  const gnutls_datum_t data = datum_of(pem);
  out.count = TlsIdentity::Parts::kChainMax;
  const int code = gnutls_pcert_list_import_x509_raw(out.chain.data(), &out.count, &data,
                                                     GNUTLS_X509_FMT_PEM, 0);
  if (code < 0) {
    out.count = 0;
    return refused(path, code);
  }
  gnutls_x509_crt_t first = nullptr;
  if (gnutls_pcert_export_x509(out.chain.data(), &first) < 0) return refused(path, code);
  out.expires = gnutls_x509_crt_get_expiration_time(first);
  gnutls_x509_crt_deinit(first);
  return {};
}

Status read_key(const std::string& path, std::string& pem, TlsIdentity::Parts& out) {
  const gnutls_datum_t data = datum_of(pem);
  if (gnutls_privkey_init(&out.key) < 0) return Error{ErrorCode::kUnavailable, "TLS: no memory"};
  const int code = gnutls_privkey_import_x509_raw(out.key, &data, GNUTLS_X509_FMT_PEM, nullptr, 0);
  return code < 0 ? refused(path, code) : Status();
}

/// Whether the key is that of the certificate.
bool belong_together(const TlsIdentity::Parts& parts) {
  gnutls_pubkey_t of_key = nullptr;
  if (gnutls_pubkey_init(&of_key) < 0) return false;
  std::array<unsigned char, 32> a{};
  std::array<unsigned char, 32> b{};
  std::size_t a_size = a.size();
  std::size_t b_size = b.size();
  const bool known =
      gnutls_pubkey_import_privkey(of_key, parts.key, 0, 0) >= 0 &&
      gnutls_pubkey_get_key_id(of_key, GNUTLS_KEYID_USE_SHA256, a.data(), &a_size) >= 0 &&
      gnutls_pubkey_get_key_id(parts.chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, b.data(), &b_size) >=
          0;
  gnutls_pubkey_deinit(of_key);
  return known && a == b;
}

using Identities = std::vector<std::shared_ptr<const TlsIdentity>>;

Guarded<Identities>& identities() {
  static Guarded<Identities> all;
  return all;
}

/// The parts in use, for the callback.
std::atomic<TlsIdentity::Parts*> in_use{nullptr};

int choose(gnutls_session_t /*session*/, const gnutls_datum_t* /*authorities*/, int /*count*/,
           const gnutls_pk_algorithm_t* /*algorithms*/, int /*algorithm_count*/,
           gnutls_pcert_st** chain, unsigned* chain_length, gnutls_privkey_t* key) {
  TlsIdentity::Parts* parts = in_use.load();
  if (parts == nullptr) return -1;
  *chain = parts->chain.data();
  *chain_length = parts->count;
  *key = parts->key;
  return 0;
}

}  // namespace

TlsIdentity::TlsIdentity(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsIdentity::~TlsIdentity() = default;

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::read(const TlsFiles& files) {
  auto certificate = read_whole_file(files.certificate, kPemBytesMax);
  if (!certificate) return certificate.error();
  const std::string& key_path = files.key.empty() ? files.certificate : files.key;
  auto key = read_whole_file(key_path, kPemBytesMax);
  if (!key) return key.error();
  if ((key->mode & 007) != 0) {
    return Error{ErrorCode::kDenied,
                 key_path + ": everybody may read the key; allowed: mode 0640 or 0600"};
  }
  auto parts = std::make_unique<Parts>();
  if (Status read = read_chain(files.certificate, certificate->text, *parts); !read)
    return read.error();
  if (Status read = read_key(key_path, key->text, *parts); !read) return read.error();
  if (!belong_together(*parts)) {
    return Error{ErrorCode::kInvalid,
                 key_path + ": is not the key of the certificate in " + files.certificate};
  }
  return std::shared_ptr<const TlsIdentity>(new TlsIdentity(std::move(parts)));
}

std::int64_t TlsIdentity::expires() const { return parts_->expires; }

void TlsIdentity::use(std::shared_ptr<const TlsIdentity> identity) {
  in_use = identity->parts_.get();
  identities().lock()->push_back(std::move(identity));
}

void* TlsIdentity::callback() { return reinterpret_cast<void*>(&choose); }

}  // namespace shingled::milter::http
