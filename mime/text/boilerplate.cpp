#include "mime/text/boilerplate.h"

#include "mime/words/folded_words.h"

namespace shingled::mime {

namespace {

// English, German, French, Spanish, Portuguese, Italian, Dutch, Polish. Only words that say nothing
// about what is offered or wanted: they are left out wherever they stand.
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

}  // namespace

bool is_boilerplate(std::string_view folded) {
  static const FoldedWords words(kBoilerplate);
  return words.has(folded);
}

bool is_greeting(std::string_view folded) {
  static const FoldedWords words(kGreetings);
  return words.has(folded);
}

}  // namespace shingled::mime
