#include "mime/text/boilerplate.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {
namespace {

// English, German, French, Spanish, Portuguese, Italian, Dutch, Polish. Only words that do not tell
// what is offered or wanted: they are left out everywhere.
constexpr std::string_view kBoilerplate =
    "click here below link links view online browser web website web page email emails mail mails "
    "mailing mailings message messages newsletter newsletters list lists subscribe subscribed "
    "subscriber unsubscribe unsubscribed subscription subscriptions removed remove opt optout "
    "receive receiving received sent send sender reply privacy policy terms conditions contact "
    "copyright rights reserved inc llc ltd gmbh trademark trademarks preferences manage update "
    "profile forward trouble viewing images image display displayed difficulty seeing unable "
    "future wish longer confidential confidentiality intended recipient recipients disclaimer "
    "attachment attachments attached contain contains contained contents privileged error mistake "
    "delete destroy notify inform immediately dissemination disseminate disclosure disclose "
    "distribution distribute copy copies copying prohibited forbidden unauthorized unauthorised "
    "strictly solely exclusively addressed addressee individual entity legally protected "
    "transmitted "
    "transmission files virus viruses scanned malware reliance opinions views expressed author "
    "necessarily represent liability liable damage damages warranty accept accepts responsibility "
    "regards best thanks thank sincerely kind phone tel fax mobile automatically generated respond "
    "registered office www http https com "
    // German
    "klicken klick hier anzeigen ansehen webseite abmelden abbestellen abmeldung austragen "
    "anmeldung datenschutz impressum vertraulich vertrauliche geschützte rechtlich informationen "
    "empfänger adressat adressaten bestimmt irrtümlich erhalten informieren umgehend sofort "
    "unverzüglich absender vernichten löschen kopieren kopie weitergabe unbefugte unerlaubte "
    "gestattet anhang anhänge nachricht nachrichten rechte vorbehalten haftung viren "
    "geschäftsführer geschäftsführung amtsgericht registergericht handelsregister sitz hrb ust "
    "grüße grüßen freundlichen "
    // French
    "cliquez cliquer ici lien liens voir ligne navigateur courriel courriels désabonner "
    "désinscrire désinscription abonnement confidentiel confidentielle confidentielles "
    "confidentialité destiné destinés exclusif destinataire destinataires erreur expéditeur "
    "immédiatement avertir détruire supprimer diffusion publication reproduction autorisée "
    "interdite pièces jointes responsabilité droits réservés cordialement salutations "
    // Spanish, Portuguese, Italian
    "clic haga aquí enlace correo correos electrónico mensaje mensajes suscripción cancelar baja "
    "privacidad destinatario destinatarios dirigido exclusivamente confidencial confidenciales "
    "error "
    "notifique remitente inmediatamente elimine eliminar prohibida divulgación copia autorización "
    "adjuntos archivos derechos reservados saludos clique aqui ligação mensagem mensagens "
    "assinatura "
    "descadastrar privacidade destinatário destina destinada confidenciais engano erro avise "
    "remetente imediatamente apague proibida divulgação cópia autorizada anexos direitos "
    "cumprimentos atenciosamente clicca qui collegamento messaggio messaggi iscrizione cancellarsi "
    "disiscriverti riservato riservate riservatezza destinatari errore mittente immediatamente "
    "distruggere cancellare vietata diffusione divulgazione allegati diritti riservati saluti "
    // Dutch, Polish
    "klik hier koppeling bericht berichten bijlagen afmelden uitschrijven vertrouwelijk "
    "vertrouwelijke bestemd uitsluitend geadresseerde ontvanger afzender onmiddellijk verwijderen "
    "vernietigen openbaarmaking verspreiding toegestaan aansprakelijk aansprakelijkheid rechten "
    "voorbehouden groeten vriendelijke kliknij tutaj wiadomość wiadomości wypisać poufne poufna "
    "adresata odbiorca odbiorcy nadawca nadawcę niezwłocznie usunąć załączniki rozpowszechnianie "
    "kopiowanie zabronione prawa zastrzeżone pozdrawiam";

constexpr std::string_view kGreetings =
    "dear hello hi hey greetings attn attention good to hallo liebe lieber sehr guten werte "
    "bonjour cher chère chers madame monsieur salut estimado estimada estimados hola buenas "
    "buenos querido olá ola prezado prezada prezados caro cara boa bom ciao gentile buongiorno "
    "salve egregio spettabile beste geachte dag dzien dzień witam szanowni szanowny szanowna "
    "drogi уважаемый уважаемая уважаемые здравствуйте привет kära hej";

constexpr std::size_t kLineBytesMax = 200;  // longer ones are text

/// Phrases after dashes, or alone on a line that ends in a colon.
constexpr std::array<std::string_view, 20> kOtherMessages = {
    "Original Message",        "Forwarded Message",    "Begin forwarded message",
    "copy of the message",     "copy of your message", "original message follows",
    "Ursprüngliche Nachricht", "Original-Nachricht",   "Weitergeleitete Nachricht",
    "Message d'origine",       "Message transféré",    "Message original",
    "Mensaje original",        "Mensaje reenviado",    "Mensagem original",
    "Mensagem encaminhada",    "Messaggio originale",  "Messaggio inoltrato",
    "Oorspronkelijk bericht",  "Wiadomość oryginalna"};

constexpr std::array<std::string_view, 10> kVerbs = {"wrote",      "schrieb", "a écrit", "escribió",
                                                     "escreveu",   "scritto", "schreef", "napisał",
                                                     "napisał(a)", "skrev"};

template <std::size_t kCount>
std::vector<std::string> folded(const std::array<std::string_view, kCount>& phrases) {
  std::vector<std::string> out(kCount);
  for (std::size_t i = 0; i < kCount; ++i) fold_letters(phrases[i], out[i]);
  return out;
}

/// Of a folded text, whose ASCII letters are in lower case.
bool is_letter(char c) { return ascii::is_alpha(c) || ascii::is_high(c); }

}  // namespace

bool is_boilerplate(std::string_view folded) {
  static const FoldedWords words(kBoilerplate);
  return words.has(folded);
}

bool is_greeting(std::string_view folded) {
  static const FoldedWords words(kGreetings);
  return words.has(folded);
}

bool begins_other_message(std::string_view line) {
  if (line.size() > kLineBytesMax) return false;
  if (!line.starts_with("--") && !line.ends_with(':')) return false;
  static const std::vector<std::string> phrases = folded(kOtherMessages);
  return std::any_of(phrases.begin(), phrases.end(), [line](const std::string& phrase) {
    const std::size_t at = line.find(phrase);
    // With words before it, it is part of a sentence, unless the line begins with dashes.
    return at == 0 ? line.size() == phrase.size() + 1
                   : at != std::string_view::npos && line.starts_with("--");
  });
}

bool is_attribution(std::string_view line) {
  if (!line.ends_with(':') || line.size() > kLineBytesMax) return false;
  if (line.find_first_of("0@") == std::string_view::npos) return false;  // a date or an address
  static const std::vector<std::string> phrases = folded(kVerbs);
  return std::any_of(phrases.begin(), phrases.end(), [line](const std::string& verb) {
    const std::size_t at = line.find(verb);
    if (at == std::string_view::npos || at == 0 || is_letter(line[at - 1])) return false;
    const std::size_t end = at + verb.size();
    return end == line.size() || !is_letter(line[end]);
  });
}

namespace {

constexpr std::size_t kLinesMax = 25;

}  // namespace

void Footer::read() {
  std::size_t end = content_.ends_with('\n') ? content_.size() - 1 : content_.size();
  std::size_t letters = 0;
  std::string line;
  while (lines_.size() < kLinesMax) {
    const std::size_t line_break =
        end == 0 ? std::string_view::npos : content_.rfind('\n', end - 1);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    std::string_view raw = content_.substr(begin, end - begin);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    line.clear();
    fold_letters(raw, line);
    letters += line.size();
    lines_.push_back({begin, letters});
    if (begin == 0) return;
    end = line_break;
  }
}

bool Footer::may_begin_at(std::size_t offset, std::size_t letters_above) {
  if (lines_.empty()) read();
  const auto line = std::ranges::find(lines_, offset, &Line::offset);
  return line != lines_.end() && line->letters_below <= letters_above;
}

}  // namespace shingled::mime
