"""What shops, carriers and hosts write about an order: {this|that} is what the two messages of a pair differ in."""

TEMPLATES = [
    ("order receipt", "Your order {#10422|#10977}", """\
Hi {Rebecca|Samir},

thank you for your order! We have received it and will let you know as soon as it is on its way.

Order number: {10422|10977}
Date: {14 March 2026|2 April 2026}

{1 x Garden shears, steel, 22 cm        EUR 24.90|2 x Wool blanket, grey, 130 x 180     EUR 118.00}
{3 x Tomato seeds "Roma"                EUR  8.70|1 x Beeswax candle                    EUR   9.50}
{1 x Watering can, zinc                 EUR 39.00|1 x Tea towels, set of four           EUR  22.00}

Delivery: {EUR 4.90|free}
Total: {EUR 77.50|EUR 149.50}
Paid by {credit card|direct debit}

We deliver to:
{Rebecca Stone, 17 Mill Lane, Kendal|Samir Haddad, Flat 4, 220 Hope Street, Glasgow}

You may return anything you do not like within thirty days. Simply put it back into its box and stick on the label that came
with it. For questions about your order answer this message or call us on weekdays between nine and five.

With kind regards,
Thistle & Oak
"""),
    ("order receipt, German", "Bestellbestätigung {4410982|4523319}", """\
Hallo {Jana Petersen|Murat Yildiz},

vielen Dank für Ihre Bestellung vom {7. Mai 2026|28. August 2026}. Hiermit bestätigen wir den Eingang.

Bestellnummer: {4410982|4523319}
{1 x Fahrradschlauch 28 Zoll, Autoventil   6,95 EUR|1 x Espressokanne, 6 Tassen   31,90 EUR}
{1 x Kettenöl, 100 ml                      8,49 EUR|4 x Espressotasse, weiß       27,80 EUR}
Versandkosten: {3,95 EUR|0,00 EUR}
Gesamtbetrag inkl. 19 % MwSt.: {19,39 EUR|59,70 EUR}
Zahlungsart: {Rechnung|Lastschrift}

Lieferanschrift: {Jana Petersen, Deichweg 3, 25813 Husum|Murat Yildiz, Keupstraße 88, 51063 Köln}

Sobald Ihr Paket unser Lager verlassen hat, erhalten Sie eine weitere Nachricht mit der Sendungsnummer. Sie können die Ware
innerhalb von 30 Tagen ohne Angabe von Gründen zurückgeben. Unsere Geschäftsbedingungen und die Widerrufsbelehrung finden Sie
auf unserer Internetseite.

Mit freundlichen Grüßen
Ihr Team von Radundtasse
"""),
    ("invoice", "Invoice {2026-0117|2026-0188}", """\
Dear {Mr Abernathy|Mrs Nowak},

please find below our invoice {2026-0117|2026-0188} of {4 February 2026|29 May 2026}.

{Boiler service, two hours|Repair of a leaking valve, three hours}: {GBP 130.00|GBP 195.00}
{Gasket and filter|Ball valve 22 mm}: {GBP 18.40|GBP 32.75}
Travel: GBP 25.00
VAT at 20 %: {GBP 34.68|GBP 50.55}
Total: {GBP 208.08|GBP 303.30}

Please transfer the amount within fourteen days to our account at Castlemoor Building Society, quoting the number of the
invoice. If you have any questions about this invoice do not hesitate to call us. We thank you for your custom and would be
pleased to be of service again.

Yours sincerely,
Hobbs & Daughter, Plumbing and Heating
"""),
    ("invoice, Dutch", "Factuur {F26-0881|F26-1203}", """\
Beste {mevrouw De Graaf|heer Bouzid},

Hierbij ontvangt u factuur {F26-0881|F26-1203} voor {het onderhoud van uw tuin in april|het snoeien van drie bomen in juni}.

Bedrag: {EUR 310,00|EUR 745,50}
Vervaldatum: {15 mei 2026|12 juli 2026}

Wij verzoeken u vriendelijk het bedrag voor de vervaldatum over te maken op onze rekening, onder vermelding van het
factuurnummer. U kunt ook direct online betalen via de knop in uw klantomgeving. Heeft u vragen over deze factuur? Neem dan
gerust contact met ons op, wij helpen u graag verder.

Met vriendelijke groet,
Hoveniersbedrijf Van Loon
"""),
    ("shipping notice", "Your parcel is on its way", """\
Hello {Ingrid|Calvin},

good news: your order {88120-A|90417-C} left our warehouse today and is on its way to you.

Carrier: {Swift Parcel|Posthorn}
Tracking number: {SP0099182733GB|PH55102938}
Expected delivery: {Thursday, 19 March|Monday, 8 June}

In the parcel: {Trail shoes, size 39|Rain jacket, size L; socks, three pairs}

Follow your parcel: https://track.example/{SP0099182733GB|PH55102938}

It may take a day until the first scan can be seen. If nobody is at home, the driver leaves a card or hands the parcel to a
neighbour. If something is wrong with your order, please tell us within fourteen days, and we will make it right.

Happy trails,
Fellside Outfitters
"""),
    ("shipping notice, French", "Votre commande {n° 51877|n° 60212} a été expédiée", """\
Bonjour {Mathilde|Youssef},

Nous avons le plaisir de vous informer que votre commande {n° 51877|n° 60212} vient de quitter notre entrepôt.

Contenu du colis : {Service à thé en porcelaine|Deux romans policiers et un marque-page}
Transporteur : {Colis Rapide|La Flèche}
Numéro de suivi : {CR7741|LF20938}
Livraison prévue : {mardi 10 février|vendredi 4 septembre}

Vous pouvez suivre l'acheminement de votre colis à tout moment depuis votre espace client. En cas d'absence, le livreur
déposera un avis de passage et votre colis vous attendra quinze jours au point de retrait le plus proche.

Merci de votre confiance,
Le service clients de La Malle Bleue
"""),
    ("delivery today, Italian", "Il tuo pacco arriva oggi", """\
Gentile {Chiara Fontana|Davide Greco},

il tuo pacco {IT-88213|IT-90455} spedito da {Libreria del Corso|Ferramenta Bassi} sarà consegnato oggi tra le {10:00 e le 12:00|14:30 e le
16:30} all'indirizzo {via Garibaldi 12, Modena|piazza Dante 3, Lecce}.

Non sei a casa? Puoi scegliere un altro giorno, un vicino di fiducia oppure un punto di ritiro dalla pagina della spedizione. Per
la consegna è richiesta la firma del destinatario o di una persona da lui delegata.

Grazie per aver scelto il nostro servizio.

Corriere Adriatico
"""),
    ("refund", "Your refund is on its way", """\
Hi {Zoe|Henrik},

we have received your return of {the blue armchair cover|the hiking poles} from order {30211|30984} and checked it. Today we sent
{EUR 59.00|EUR 84.95} back to your {card ending in 4004|account with PayWell}.

It usually takes three to five working days until you can see the money, depending on your bank. You will find a credit note in
your account under "Orders".

We are sorry that it was not what you were looking for. {May we suggest the same cover in green, which is back in
stock?|Perhaps the lighter ones of this spring will suit you better.}

Best wishes,
Hygge House
"""),
    ("hotel booking", "Your booking at {Hotel Miramar|Gasthof Adler} is confirmed", """\
Dear {Ms Fontaine|Mr Kowalski},

your booking is confirmed. You do not need to print this message, it is enough to show it on your phone.

Confirmation number: {77.201.993|80.554.102}
{Hotel Miramar, Passeig Marítim 8, Sitges|Gasthof Adler, Dorfplatz 1, Schruns}
Arrival: {Friday, 12 June 2026, from 15:00|Sunday, 20 December 2026, from 14:00}
Departure: {Monday, 15 June 2026, until 11:00|Saturday, 26 December 2026, until 10:00}
{One double room with a sea view, breakfast|Two single rooms, half board}
Price: {EUR 387.00|EUR 1,092.00}

You may cancel without charge until {10 June 2026|6 December 2026}. After that the house charges the first night. Children under
six stay free of charge in the bed of their parents. Pets on request.

{Parking in the street behind the house costs 18 euros a day.|The ski bus stops in front of the house every twenty minutes.}

Have a good journey!
Roomfinder
"""),
    ("flight check-in", "Check in now for your flight to {Lisbon|Oslo}", """\
Hello {Francesca|Rajesh},

online check-in for your flight is open.

Booking code: {K7PQ2M|ZL93XD}
Flight: {MA 1840 Milan Malpensa - Lisbon|MA 0772 Berlin - Oslo Gardermoen}
Date: {Thursday, 5 March 2026|Wednesday, 23 September 2026}
Departure: {07:35, gate closes 07:15|18:10, gate closes 17:50}

Check in on our web site or in the app, choose your seat and save your boarding pass. Your ticket includes one small bag of 40 x
30 x 20 cm. Larger bags can be added for a fee until two hours before departure; at the airport they cost more.

Passengers who need assistance please tell us at least two days before. Please have your passport or identity card ready, also
within the European Union.

We look forward to welcoming you on board.
Meridian Air
"""),
    ("train ticket, German", "Ihre Fahrkarte {Ulm - Dresden|Kiel - Basel}", """\
Guten Tag {Herr Baumann|Frau Sokolova},

vielen Dank für Ihre Buchung. Ihre Fahrkarte finden Sie im Anhang und jederzeit in der App.

Auftragsnummer: {JX7K2P|MM04QT}
Strecke: {Ulm Hbf - Dresden Hbf|Kiel Hbf - Basel SBB}
Reisetag: {Samstag, 18. April 2026|Dienstag, 6. Oktober 2026}
Abfahrt: {09:04 Gleis 3, Ankunft 14:51|06:28 Gleis 5, Ankunft 15:34}
{Wagen 7, Platz 61, Fenster|Wagen 23, Plätze 14 und 16, Tisch}
Preis: {47,90 EUR|139,80 EUR}

Die Fahrkarte gilt nur zusammen mit einem amtlichen Lichtbildausweis. Eine Stornierung ist bis einen Tag vor dem ersten
Geltungstag gegen ein Entgelt von 10 EUR möglich. Bei Verspätungen ab 60 Minuten erhalten Sie 25 Prozent des Fahrpreises zurück.

Wir wünschen Ihnen eine angenehme Reise.
Überlandbahn AG
"""),
    ("concert ticket", "Your tickets for {Ana Moura|The Low Tides}", """\
Hi {Bethany|Ola},

here are your tickets! Please bring them printed or on your phone.

{Ana Moura, Theatre Royal, Bath|The Low Tides, Corn Exchange, Leeds}
{Saturday 7 November 2026, doors 19:00|Thursday 21 May 2026, doors 20:00}
{Stalls, row F, seats 11 and 12|Standing, 4 tickets}
Order {T-4418827|T-5190033}, {GBP 76.00|GBP 98.00} including booking fee

Each code can be used once. Do not share pictures of your tickets. If the event is cancelled or moved, we write to you at this
address and you get your money back automatically. Bags larger than a sheet of A4 paper must stay in the cloakroom.

Enjoy the evening!
Stagedoor Tickets
"""),
    ("ride receipt", "Your ride on {Friday evening|Sunday morning}", """\
Thanks for riding with us, {Kofi|Birgit}.

Total: {EUR 13.40|EUR 27.85}

{Friday, 13 February 2026, 22:51|Sunday, 5 July 2026, 05:12}
From: {Central Station|Airport, Terminal 2}
To: {Lindenallee 40|Rosenthal 7}
Distance: {5.2 km, 11 minutes|18.9 km, 24 minutes}
Driver: {Mehmet|Valentina}

Base fare: EUR 3.20. Distance: {EUR 8.70|EUR 21.65}. Time: {EUR 1.50|EUR 3.00}. Charged to {card ending in 9011|your company}.

Lost something? You can reach your driver through the app for 24 hours. Rate your ride with one to five stars; it helps all
of us.

Cityhop
"""),
    ("table booking, Spanish", "Su reserva en {Casa Lola|El Olivo}", """\
Hola, {Carmen|Íñigo}:

Su mesa está reservada.

Restaurante: {Casa Lola, calle Feria 22, Sevilla|El Olivo, plaza Nueva 5, Bilbao}
Día: {sábado 21 de marzo a las 21:30|jueves 9 de julio a las 14:00}
Comensales: {4|2}
Localizador: {R-3381|R-4975}

Le guardaremos la mesa durante quince minutos. Si llega más tarde o no puede venir, avísenos por teléfono o anule la reserva con
el enlace de abajo para que otra persona pueda ocupar su lugar. Si alguno de los comensales tiene alergias, díganoslo con
antelación y la cocina lo tendrá en cuenta.

Le esperamos.
"""),
    ("electricity bill", "Your electricity bill for {January|August}", """\
Dear {Mrs Okonkwo|Mr Fielding},

your bill for {1 to 31 January 2026|1 to 31 August 2026} is ready.

Customer number: {200 418 773|200 990 126}
Used: {412 kWh|188 kWh}
Amount: {GBP 118.62|GBP 57.90}
We will take it by direct debit on {14 February|14 September}.

{You used 9 % more than in January last year. Cold nights and the heat pump are the likely reason.|You used 14 % less than in
August last year. Well done!}

You can see your use by day in your account, where you also find how to read your bill and tips for saving energy. Moving
house? Tell us two weeks before. If you find it hard to pay, please talk to us early: we can agree on smaller instalments.

In an emergency call 105, day and night.
Fenland Energy
"""),
    ("telephone bill, German", "Ihre Rechnung für {Februar|September} 2026", """\
Sehr geehrte{ Frau Wagner|r Herr Nguyen},

Ihre Rechnung für {Februar|September} 2026 steht in unserem Kundenportal für Sie bereit. Der Rechnungsbetrag von {29,99 EUR|44,18 EUR}
wird frühestens am {12. März|12. Oktober} 2026 von Ihrem Konto abgebucht.

Kundennummer: {7001993|7048812}
Rechnungsnummer: {RE-26-02-88172|RE-26-09-10244}

Rechnungen, Einzelverbindungsnachweise und Ihre Vertragsdaten finden Sie unter "Mein Vertrag". Änderungen Ihrer Bankverbindung
teilen Sie uns bitte mindestens fünf Werktage vor der Abbuchung mit. Einwendungen gegen die Rechnung müssen Sie innerhalb von
acht Wochen nach Zugang erheben.

Freundliche Grüße
Ihre Nordfunk Kundenbetreuung
"""),
    ("donation receipt", "Thank you for your gift", """\
Dear {Margaret|Mr and Mrs Osei},

thank you for your gift of {GBP 25.00|GBP 250.00}, which we received on {3 November 2026|24 December 2026}.

{This autumn it helps Amina, the midwife of Kasungu, to buy a bicycle: she looks after four villages and has walked up to now.|With it
the school at Lira can mend the roof before the rains and buy books for the new class of forty girls.}

Please keep this message as your receipt. Our charity number is 1099182; if you are a taxpayer, we can claim another quarter of
your gift from the state at no cost to you. You only have to sign the declaration once.

With our warmest thanks,
Wells for Tomorrow
"""),
]
