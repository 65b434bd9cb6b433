// From decoded text to stems, each stage and the whole, in bytes of text per second.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "mime/language/language.h"
#include "mime/text/oneline.h"
#include "mime/text/text_words.h"
#include "mime/url/url_finder.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

constexpr char kEnglish[] =
    "Dear customer, we would like to inform you that your order no. 4711-23 has been shipped\n"
    "yesterday and should be arriving within three to five working days. The parcel contains\n"
    "all the items which you've ordered from our store at http://www.example.com/shop?id=17,\n"
    "including the free samples ($12.50) that we promised during the spring campaign. If\n"
    "something is missing or broken, please contact support@example.com; they will help you.\n";
constexpr char kGerman[] =
    "Sehr geehrte Damen und Herren, wir freuen uns, Ihnen mitteilen zu können, dass Ihre "
    "Bestellung\n"
    "gestern verschickt worden ist und in den nächsten Tagen bei Ihnen eintreffen müsste. Über "
    "Ihre\n"
    "Fragen hören wir gern, schöne Grüße aus Köln und noch einen angenehmen Tag für Sie alle.\n";
constexpr char kRussian[] =
    "Уважаемый клиент, мы рады сообщить вам, что ваш заказ был отправлен вчера и должен прибыть в\n"
    "течение нескольких дней. Посылка содержит все товары, которые вы заказали в нашем магазине.\n";
constexpr char kChinese[] =
    "尊敬的客户，我们很高兴地通知您，您的订单已于昨天发货，预计将在三到五个工作日内送达。包裹中包含"
    "您在我们网上商店订购的所有商品。\n";

const std::vector<const char*> kTexts = {kEnglish, kGerman, kRussian, kChinese};

/// `bytes` of mail text in the language of `state.range(0)`.
std::string text_for(const benchmark::State& state) {
  std::string text;
  while (text.size() < static_cast<std::size_t>(state.range(1))) {
    text += kTexts[static_cast<std::size_t>(state.range(0))];
  }
  return text;
}

template <typename Work>
void run(benchmark::State& state, const std::string& text, Work work) {
  for (auto _ : state) benchmark::DoNotOptimize(work());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void BM_Oneline(benchmark::State& state) {
  const std::string text = text_for(state);
  run(state, text, [&] { return make_oneline(text, TextForm::kPlain); });
}

void BM_FindUrls(benchmark::State& state) {
  const Oneline line = make_oneline(text_for(state), TextForm::kPlain);
  run(state, line.text,
      [&] { return all_urls(line.text, line.line_starts, UrlMode::kFull, Compat::kRspamd4); });
}

void BM_SplitWords(benchmark::State& state) {
  const std::string line = make_oneline(text_for(state), TextForm::kPlain).text;
  run(state, line, [&] { return split_all(line, {}, {}); });
}

void BM_DetectLanguage(benchmark::State& state) {
  const std::string line = make_oneline(text_for(state), TextForm::kPlain).text;
  const std::vector<Token> tokens = split_all(line, {}, {});
  run(state, line, [&] { return language_of(line, tokens, Compat::kRspamd4); });
}

void BM_MakeWords(benchmark::State& state) {
  const std::string text = text_for(state);
  const TextInput input{
      .content = text, .form = TextForm::kPlain, .urls = UrlMode::kFull, .links = {}};
  run(state, text, [&] { return words_of(input, {}); });
}

// language: 0 English, 1 German, 2 Russian, 3 Chinese; 1200 bytes are about 200 words.
void mail_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"language", "bytes"})->Unit(benchmark::kMicrosecond);
  for (int language = 0; language < 4; ++language) bench->Args({language, 1200});
  bench->Args({0, 64L * 1024});
}
BENCHMARK(BM_Oneline)->Apply(mail_sizes);
BENCHMARK(BM_FindUrls)->Apply(mail_sizes);
BENCHMARK(BM_SplitWords)->Apply(mail_sizes);
BENCHMARK(BM_DetectLanguage)->Apply(mail_sizes);
BENCHMARK(BM_MakeWords)->Apply(mail_sizes);

}  // namespace
}  // namespace shingled::mime
