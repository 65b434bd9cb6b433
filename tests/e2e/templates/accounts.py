"""What services write about an account: {this|that} is what the two messages of a pair differ in."""

TEMPLATES = [
    ("password reset", "Reset your {Kestrel Cloud|Kestrel Cloud} password", """\
Hello {Marianne|Dmitri},

We received a request to reset the password of the account {marianne.voss@example.org|dk77@example.net}. If this was
you, open the link below within the next {24|24} hours and choose a new password:

https://id.kestrel.example/reset?token={8f3a1c99d2|77b0e4a1f5}

If you did not ask for a new password, you can safely ignore this message: your old one still works and nobody but you
has seen the link. For your security the request came from {Firefox on Windows|Safari on an iPhone} near {Leeds|Porto}.

Need help? Visit our help centre or answer this message and our support team will get back to you.

The Kestrel Cloud team
"""),
    ("password reset, German", "Ihr Passwort für {Blumenhaus|Blumenhaus} zurücksetzen", """\
Guten Tag {Frau Lindner|Herr Okafor},

für Ihr Kundenkonto wurde am {3. März 2026|19. Juni 2026} um {08:14|22:41} Uhr ein neues Passwort angefordert. Bitte
klicken Sie auf den folgenden Link, um ein neues Passwort zu vergeben:

https://www.blumenhaus.example/konto/passwort/{x8Kd02|Qm41zz}

Der Link ist aus Sicherheitsgründen nur zwei Stunden gültig. Falls Sie kein neues Passwort angefordert haben, müssen Sie
nichts weiter tun; Ihr bisheriges Passwort bleibt dann unverändert. Bitte geben Sie Ihr Passwort niemals an Dritte weiter.

Bei Fragen erreichen Sie unseren Kundenservice montags bis freitags von 9 bis 17 Uhr.

Mit freundlichen Grüßen
Ihr Team vom Blumenhaus
"""),
    ("new sign-in", "New sign-in to your account", """\
Hi {Tom|Aaliyah},

Your account was just used to sign in from a new device.

Device: {Chrome on Linux|Edge on Windows 11}
Time: {Tuesday, 14 April 2026, 06:52 UTC|Saturday, 2 May 2026, 19:20 UTC}
Place: {Ghent, Belgium|Nairobi, Kenya}
Address: {192.0.2.77|198.51.100.4}

If this was you, there is nothing to do. If you do not recognise this activity, change your password at once, end all other
sessions on the page "Security" of your settings and turn on the second factor. We will never ask you for your password by
mail or on the telephone.

Thanks,
The security team of Northgate Files
"""),
    ("verify an address, French", "Confirmez votre adresse", """\
Bonjour {Hélène|Karim},

Merci de vous être inscrit{e|} sur Atelier Lumière. Pour terminer la création de votre compte, il vous suffit de confirmer
votre adresse électronique en cliquant sur le lien suivant :

https://atelier-lumiere.example/confirmer/{a8s7d6|9ff3b2}

Ce lien est valable pendant trois jours. Passé ce délai, votre inscription sera annulée et vous devrez recommencer. Si vous
n'êtes pas à l'origine de cette demande, ignorez simplement ce message, aucun compte ne sera créé à votre nom.

Votre identifiant : {helene.brun|karim_b}

À très bientôt,
L'équipe d'Atelier Lumière
"""),
    ("password changed, Spanish", "Su contraseña ha sido modificada", """\
Estimad{a|o} {Lucía Ferrer|Andrés Molina}:

Le informamos de que la contraseña de su cuenta {****4471|****0932} se modificó el {12 de enero de 2026|30 de abril de 2026}
a las {11:05|16:48}. Si realizó usted este cambio, no tiene que hacer nada más.

Si no reconoce esta operación, llame lo antes posible a nuestro servicio de atención al cliente, disponible las veinticuatro
horas, o acuda a la oficina más cercana. Recuerde que nunca le pediremos sus claves por teléfono, por correo ni por mensaje
de texto.

Un saludo,
Caja Rural del Valle
"""),
    ("second factor", "Two-step verification is on", """\
Hello {Priya|Jonas},

You turned on two-step verification for your account {priya-n|jonas.w} on {1 February|27 February} 2026. From now on we ask for
a code from your {authenticator app|security key} whenever you sign in on a device that we do not know.

Keep your recovery codes in a safe place: they are the only way back into your account if you lose your phone. You can make
new ones at any time in the settings.

You did not do this? Then somebody else may have your password. Contact us right away.

The Pinewood team
"""),
    ("subscription renewal", "Your subscription renews on {6 March|18 August}", """\
Hi {Oliver|Grace},

this is a reminder that your {Reader Plus|Family} subscription renews automatically on {6 March 2026|18 August 2026}. We will
charge {EUR 49.00|EUR 89.00} to your {Visa card ending in 1881|bank account ending in 07}.

You do not need to do anything to keep your subscription. If you would rather change your plan or cancel, you can do that
until the day before on the page "Billing" of your account. After you cancel, everything stays available until the end of
the period you have paid for.

Thank you for reading with us.

The Lanternfish Press team
Questions? See our help pages or write to billing@lanternfish.example.
"""),
    ("payment failed", "We could not charge your card", """\
Hello {Studio Aster|Meyer & Daughters},

Unfortunately the payment of {USD 29.00|USD 129.00} for your {Starter|Business} plan on {May 4|July 9} did not go through. The
bank answered: {insufficient funds|card expired}.

We will try again in three days. To avoid an interruption of your service, please check that your card is valid or add
another payment method:

https://billing.harborhost.example/invoices/{20418|31177}

If the payment fails three times, your sites will be suspended, but nothing is deleted for another thirty days.

Best regards,
Harborhost Billing
"""),
    ("bank statement", "Your statement is ready", """\
Dear {Ms Achebe|Mr Lindqvist},

Your {March|June} 2026 statement for the account ending in {5502|7719} is now available. To view it, sign in to online
banking and choose Statements. For your safety this message holds no link.

Statement date: {31 March 2026|30 June 2026}
Closing balance: {GBP 2,318.40|GBP 15,004.11}
Minimum payment due: {GBP 0.00|GBP 35.00}

Please look through your statement and tell us within sixty days of anything that you do not recognise. You receive this
message because you chose statements without paper; you can change this in your profile at any time.

Thank you for banking with us.

Castlemoor Building Society
Castlemoor Building Society is authorised and regulated. Registered office: 4 Quay Street, Truro. Calls may be recorded.
"""),
    ("bank statement, German", "Ihr Kontoauszug {Nr. 3/2026|Nr. 7/2026}", """\
Sehr geehrte{ Frau Demir|r Herr Falk},

in Ihrem elektronischen Postfach liegt ein neuer Kontoauszug für das Konto {DE** **** 4410|DE** **** 9027} bereit. Der Auszug
umfasst die Umsätze vom {1. bis 31. März 2026|1. bis 31. Juli 2026}.

Bitte melden Sie sich wie gewohnt in der Internetfiliale an und öffnen Sie den Bereich "Postfach". Dokumente stehen dort zehn
Jahre lang zur Verfügung. Einwendungen wegen Unrichtigkeit oder Unvollständigkeit eines Rechnungsabschlusses sind spätestens
sechs Wochen nach dessen Zugang zu erheben.

Diese Nachricht wurde automatisch erstellt, bitte antworten Sie nicht darauf.

Volksbank Hohenfurt eG
"""),
    ("transfer, Polish", "Potwierdzenie przelewu", """\
Dzień dobry,

informujemy, że {5 maja 2026|21 lipca 2026} z rachunku zakończonego cyframi {3307|8841} został zrealizowany przelew.

Kwota: {240,00 PLN|1 999,90 PLN}
Odbiorca: {Zakład Wodociągów|Anna Kowalczyk}
Tytuł: {faktura 118/05|zwrot za wakacje}

Szczegóły operacji znajdziesz w historii rachunku po zalogowaniu do bankowości internetowej. Jeżeli nie zlecałeś tej
operacji, niezwłocznie skontaktuj się z naszą infolinią, czynną całą dobę.

Pozdrawiamy
Bank Nadwiślański
"""),
    ("card bill, Portuguese", "A fatura do seu cartão fechou", """\
Olá, {Beatriz|Rafael}!

A fatura do seu cartão com final {2290|6641} fechou e o vencimento é em {10 de fevereiro|15 de setembro}.

Valor total: {R$ 812,77|R$ 2.430,15}
Pagamento mínimo: {R$ 121,90|R$ 364,50}

Você pode pagar pelo aplicativo, por boleto ou com o saldo da conta. Se o pagamento já está em débito automático, não é
preciso fazer nada: o valor será descontado na data do vencimento. O atraso gera multa, juros e encargos conforme o contrato.

Qualquer dúvida, fale com a gente pelo aplicativo, a qualquer hora.

Banco Aurora
"""),
    ("contact request", "{Sofia Marchetti|Peter Olsen} would like to connect", """\
Hi {Nadia|Lukas},

{Sofia Marchetti|Peter Olsen}, {head of purchasing at Tessuti Romano|engineer at Nordlys Turbines}, would like to add you to
the network of contacts.

{"We met at the fair in Bologna and I would be glad to stay in touch."|"Thanks for your talk on bearings last week!"}

Accept: https://meshwork.example/i/{771|902}
See the profile: https://meshwork.example/p/{sofiam|polsen}

You have {3|17} other invitations waiting for you.

This message was meant for {Nadia Farouk|Lukas Brandt}. You get invitations by mail because of your settings; you may turn
them off. Meshwork Ltd, 12 Canal Row, Dublin.
"""),
    ("storage full", "Your mailbox is {91|97} % full", """\
Dear {Ms Whitfield|Mr Tanaka},

your mailbox {whitfield@example.org|tanaka@example.org} uses {4.6|9.7} of {5|10} gigabytes. When it is full, new messages are
sent back to their senders.

To make room you can delete large attachments, empty the folders Trash and Junk, or move old messages into the archive. Your
administrator may also give you more space on request.

The largest folders at the moment: {Sent (1.8 GB), Projects (1.1 GB)|Inbox (6.2 GB), Photos (2.0 GB)}.

This report is made every Monday. IT services, University of Eastmere
"""),
    ("account closed", "Your account is closed", """\
Hello {Eduardo|Wiebke},

as you asked, we closed your account {EB-20931|WK-11834} on {9 January 2026|11 October 2026}. Your profile, your playlists and
your listening history will be deleted within thirty days; invoices we must keep for as long as the law says.

Should you change your mind, sign in within these thirty days and everything is as it was. We are sorry to see you go. If you
have a minute, tell us {why you left|what we could have done better}: every answer is read.

All the best
Tidal Bay Radio
"""),
]
