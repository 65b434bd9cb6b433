#include "mime/text/quote_lines.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "mime/text/boilerplate.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kFieldBytesMax = 64;       // of a name, with the marks around it
constexpr std::size_t kMarkBlanksMax = 3;        // before ">"
constexpr ascii::CharSet kAroundName("*_|\t ");  // how programs write bold in plain text

// Separated by commas. English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech,
// Slovak, Slovene, Croatian, Swedish, Danish, Norwegian, Finnish, Hungarian, Romanian, Estonian,
// Latvian, Lithuanian, Turkish, Greek, Russian, Ukrainian, Bulgarian, Chinese, Japanese, Korean.
constexpr std::string_view kFromNames =
    "from,sender,von,absender,de,expéditeur,remitente,remetente,da,mittente,van,afzender,od,"
    "nadawca,"
    "odesílatel,odosielateľ,pošiljatelj,från,avsändare,fra,afsender,avsender,lähettäjä,feladó,"
    "expeditor,de la,saatja,no,nuo,gönderen,kimden,από,αποστολέας,от,отправитель,від,відправник,"
    "发件人,寄件者,差出人,送信者,보낸 사람,보낸사람,发件者";
constexpr std::string_view kDateNames =
    "date,sent,date sent,sent on,datum,gesendet,gesendet am,envoyé,envoyé le,date d'envoi,fecha,"
    "enviado,enviado el,enviado em,enviada,enviada em,data,inviato,data invio,verzonden,"
    "verzonden op,wysłano,wysłane,odesláno,dátum,odoslané,poslano,skickat,skickades,dato,sendt,"
    "lähetetty,päivämäärä,elküldve,küldve,trimis,dată,saadetud,kuupäev,nosūtīts,datums,išsiųsta,"
    "tarih,gönderildi,gönderme tarihi,στάλθηκε,ημερομηνία,дата,отправлено,надіслано,изпратено,日期,"
    "发送时间,寄件日期,時間,日時,送信日時,送信日,날짜,보낸 날짜";
constexpr std::string_view kToNames =
    "to,cc,an,kopie,à,destinataire,copie,para,a,al,destinatario,copia,aan,do,dw,komu,kopie komu,za,"
    "prima,till,kopia,til,kopi,vastaanottaja,kopio,címzett,másolat,către,saaja,kam,kam adresuota,"
    "kime,alıcı,bilgi,προς,κοιν,кому,копия,копія,до,收件人,抄送,宛先,받는 사람,받는사람,참조";
constexpr std::string_view kSubjectNames =
    "subject,re,betreff,betr,objet,sujet,asunto,assunto,oggetto,onderwerp,temat,předmět,predmet,"
    "zadeva,ämne,emne,aihe,tárgy,subiect,teema,temats,tema,konu,θέμα,тема,относно,主题,主旨,標題,"
    "件名,"
    "제목";

/// Titles of ruled lines, or alone on a line that ends in a colon.
constexpr auto kAnnouncements = std::to_array<std::string_view>({
    "Unsent message follows",
    "Message header follows",
    "Returned message",
    "Returned headers",
    "Original message headers",
    "Message headers follow",
    "Message copy follows",
    "Undelivered message follows",
    "This is a copy of the headers",
    // Apple's and others', by language
    "Anfang der weitergeleiteten Nachricht",
    "Weitergeleitete E-Mail",
    "Ursprüngliche Mail",
    "Début du message réexpédié",
    "Début du message transféré",
    "Message réexpédié",
    "Message initial",
    "Inicio del mensaje reenviado",
    "Mensaje original",
    "Início da mensagem reencaminhada",
    "Início da mensagem encaminhada",
    "Mensagem reencaminhada",
    "Inizio messaggio inoltrato",
    "Begin doorgestuurd bericht",
    "Doorgestuurd bericht",
    "Wiadomość przekazana",
    "Przekazana wiadomość",
    "Początek przekazywanej wiadomości",
    "Původní zpráva",
    "Přeposlaná zpráva",
    "Pôvodná správa",
    "Preposlaná správa",
    "Izvorno sporočilo",
    "Posredovano sporočilo",
    "Izvorna poruka",
    "Proslijeđena poruka",
    "Ursprungligt meddelande",
    "Vidarebefordrat meddelande",
    "Oprindelig meddelelse",
    "Videresendt meddelelse",
    "Videresendt besked",
    "Opprinnelig melding",
    "Videresendt melding",
    "Alkuperäinen viesti",
    "Välitetty viesti",
    "Eredeti üzenet",
    "Továbbított üzenet",
    "Mesaj original",
    "Mesaj redirecționat",
    "Özgün ileti",
    "Orijinal mesaj",
    "İletilen mesaj",
    "Yönlendirilen ileti",
    "Αρχικό μήνυμα",
    "Προωθημένο μήνυμα",
    "Исходное сообщение",
    "Пересылаемое сообщение",
    "Пересланное сообщение",
    "Оригінальне повідомлення",
    "Переслане повідомлення",
    "Препратено съобщение",
    "邮件原件",
    "原始邮件",
    "转发的邮件",
    "轉寄的郵件",
    "原始郵件",
    "元のメッセージ",
    "転送されたメッセージ",
    "원본 메시지",
    "전달된 메시지",
});

using Names = std::vector<std::pair<std::string, ShownField>>;

Names names() {
  Names out;
  for (const auto& [list, field] :
       {std::pair(kFromNames, ShownField::kFrom), std::pair(kDateNames, ShownField::kDate),
        std::pair(kToNames, ShownField::kTo), std::pair(kSubjectNames, ShownField::kSubject)}) {
    for (std::string_view rest = list; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      fold_letters(rest.substr(0, end), out.emplace_back("", field).first);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> announcements() {
  std::vector<std::string> out(kAnnouncements.size());
  for (std::size_t i = 0; i < out.size(); ++i) fold_letters(kAnnouncements[i], out[i]);
  std::sort(out.begin(), out.end());
  return out;
}

std::string_view without_marks(std::string_view text) {
  while (!text.empty() && kAroundName.has(text.front())) text.remove_prefix(1);
  while (!text.empty() && kAroundName.has(text.back())) text.remove_suffix(1);
  return text;
}

/// The title between "-----" and "-----", or before a colon; empty for other lines.
std::string_view title_of(std::string_view line) {
  constexpr ascii::CharSet kRule("-=_* ");
  constexpr std::size_t kRuleBytesMin = 2;
  if (line.ends_with(':')) return line.substr(0, line.size() - 1);
  std::size_t rule = 0;
  while (rule < line.size() && kRule.has(line[rule])) ++rule;
  if (rule < kRuleBytesMin) return {};
  line.remove_prefix(rule);
  while (!line.empty() && kRule.has(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

ShownField shown_field(std::string_view line) {
  constexpr std::string_view kWideColon = "\uFF1A";
  line = line.substr(0, kFieldBytesMax);
  const std::size_t colon = std::min(line.find(':'), line.find(kWideColon));
  if (colon == std::string_view::npos) return ShownField::kNone;
  static const Names table = names();
  std::string name;
  fold_letters(without_marks(line.substr(0, colon)), name);
  const std::string_view wanted = ascii::trim_space(name);
  const auto found =
      std::lower_bound(table.begin(), table.end(), wanted,
                       [](const auto& entry, std::string_view text) { return entry.first < text; });
  return found != table.end() && found->first == wanted ? found->second : ShownField::kNone;
}

bool announces_message(std::string_view folded) {
  if (folded.size() > kQuoteLineBytesMax) return false;
  if (begins_other_message(folded)) return true;
  static const std::vector<std::string> phrases = announcements();
  return std::binary_search(phrases.begin(), phrases.end(), title_of(folded), std::less<>());
}

bool may_be_attribution(std::string_view line) {
  if (line.size() > kQuoteLineBytesMax) return false;
  if (!line.ends_with(':') && !line.ends_with("\uFF1A")) return false;
  return std::any_of(line.begin(), line.end(),
                     [](char c) { return ascii::is_digit(c) || c == '@'; });
}

bool is_marked(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && at < kMarkBlanksMax && (line[at] == ' ' || line[at] == '\t')) ++at;
  return at < line.size() && line[at] == '>';
}

}  // namespace shingled::mime
