"""What people and houses write again and again around something new: {this|that} is what the two messages of a pair differ in.

ATTACHED: letters with a file that goes out with many.
"""

DISCLAIMER = """\
This email and any attachments are confidential and may be legally privileged. They are intended solely for the use of the individual
or entity to whom they are addressed. If you have received this email in error, please notify the sender immediately and delete it
from your system; you must not copy it, disclose its contents to any other person or take any action in reliance on it. Although we
have taken reasonable precautions to ensure that no viruses are present in this email, the company cannot accept responsibility for
any loss or damage arising from its use. Any views expressed are those of the author and do not necessarily represent those of the
firm. Barlow Pryce LLP is a limited liability partnership registered in England and Wales. Registered office: 9 Temple Row, Leeds. A
list of members' names is open to inspection at the registered office.
"""

THREAD = """\
> Hi all,
>
> the landlord has offered us the rooms on the second floor from October on. They are larger than ours by a third and
> have a kitchen, but we would have to paint them ourselves and the lift does not go that far. The rent would be about
> the same if we sign for five years. I went to see them yesterday with Paul: the light is good, the windows are old but
> tight, and there is a small balcony to the yard. Before I answer him I would like to know what you think of it, and
> whether anybody knows a painter who has time in September. Please let me know until Friday.
>
> Margit
"""

OUTLOOK = """\
-----Original Message-----
From: Facility Management <facility@example.org>
Sent: Monday, 9 March 2026 08:15
To: All staff
Subject: Car park

Dear colleagues,

from Monday on the lower level of the car park will be closed for about three weeks while the drains are renewed. Please use the
gravel field behind the canteen, to which your badge gives you access from six in the morning. Bicycles can stay where they are. The
charging points move to the visitors' spaces; whoever needs one please book it at the gate. We are sorry for the trouble and will tell
you as soon as the work is done.

Facility Management
"""

TEMPLATES = [
    ("disclaimer", "{Lease|Draft}", """\
Dear {Mr Ashworth|Sarah},

{The landlord's solicitors came back this morning: they accept clause 4 as amended but insist on the break date. Shall I call you
after lunch?|Page two of the draft still has the old address, could you correct that and send it to counsel tonight? I am on the train
until six.}

Regards,
{Imogen Pryce|Daniel Barlow}

""" + DISCLAIMER),
    ("disclaimer, German", "{Probefahrt|Muster}", """\
Hallo {Herr Stein|Frau Uhl},

{der Wagen steht ab morgen um zehn für Sie bereit, bitte bringen Sie Ihren Führerschein mit.|die Muster in Eiche und Nussbaum sind heute
eingetroffen, wollen Sie am Donnerstag vorbeikommen?}

Viele Grüße
{Kai Roth|Petra Lang}

Diese E-Mail enthält vertrauliche und/oder rechtlich geschützte Informationen. Wenn Sie nicht der richtige Adressat sind oder diese
E-Mail irrtümlich erhalten haben, informieren Sie bitte sofort den Absender und vernichten Sie diese E-Mail. Das unerlaubte Kopieren
sowie die unbefugte Weitergabe dieser E-Mail sind nicht gestattet. Für Schäden, die durch Viren in dieser Nachricht oder ihren Anhängen
entstehen, übernehmen wir keine Haftung. Roth und Söhne GmbH, Geschäftsführer: Kai Roth, Sitz der Gesellschaft: Siegen, Amtsgericht
Siegen, HRB 4471.
"""),
    ("disclaimer, French", "{Rendez-vous|Devis}", """\
Bonjour {Sylvie|Monsieur Caron},

{Je serai un peu en retard jeudi, le train de 8 h est supprimé. Pouvez-vous commencer sans moi ?|Le devis pour la toiture est prêt, je
vous le dépose demain matin dans la boîte aux lettres.}

Bien à vous,
{Agnès|Hugo Martel}

Ce message et toutes les pièces jointes sont confidentiels et établis à l'intention exclusive de ses destinataires. Toute utilisation ou
diffusion non autorisée est interdite. Tout message électronique est susceptible d'altération. La société décline toute responsabilité
au titre de ce message s'il a été altéré, déformé ou falsifié. Si vous n'êtes pas destinataire de ce message, merci de le détruire
immédiatement et d'avertir l'expéditeur.
"""),
    ("quoted reply", "Re: Rooms on the second floor", """\
{Sounds good to me. I would only ask him for three years instead of five, and whether he pays for the paint.|No lift is a problem for
Gerda and her knee. Could we keep one room on the ground floor? My cousin is a painter, by the way.}

{Till|Gerda's Uwe}

On Wed, 15 July 2026 at 09:30, Margit Sand <margit@example.org> wrote:

""" + THREAD),
    ("quoted reply, German", "AW: Zweiter Stock", """\
{Für mich klingt das gut, ich würde aber gern einmal mitkommen und die Räume sehen.|Fünf Jahre sind mir zu lang. Können wir das am Montag
besprechen?}

Am {15.07.2026 um 09:30|16.07.2026 um 18:02} schrieb Margit Sand:

> Hallo zusammen,
>
> der Vermieter hat uns ab Oktober die Räume im zweiten Stock angeboten. Sie sind ein Drittel größer als unsere und haben
> eine Küche, aber wir müssten sie selbst streichen, und der Aufzug fährt nicht so weit. Die Miete wäre ungefähr gleich,
> wenn wir für fünf Jahre unterschreiben. Ich habe sie mir gestern mit Paul angesehen: Das Licht ist schön, die Fenster
> sind alt, aber dicht, und zum Hof gibt es einen kleinen Balkon. Bevor ich ihm antworte, wüsste ich gern, was ihr davon
> haltet und ob jemand einen Maler kennt, der im September Zeit hat.
"""),
    ("quoted reply of Outlook", "RE: Car park", """\
{Hello, will the gravel field be lit? It is still dark when the early shift comes. Thanks, Bogdan|Good morning, I come with a van on
Tuesdays; does it fit under the barrier there? Best, Louise}

""" + OUTLOOK),
    ("forwarded", "Fwd: Car park", """\
{FYI, please tell the people of the night shift too. Karin|Does this concern our visitors of the 18th? If so, let us send them by
train. Joachim}

""" + OUTLOOK.replace("-----Original Message-----", "---------- Forwarded message ---------")),
    ("calendar invitation", "Invitation: {Budget round|Interview with Ms Kaya}", """\
{Lena Fuchs|Robert Haas} has invited you to a meeting.

{Budget round|Interview with Ms Kaya}
When: {Thursday, 12 March 2026, 10:00 to 11:30|Monday, 14 September 2026, 16:00 to 17:00}
Where: {Room Weser, 2nd floor|Online}
Guests: {lena@example.org, omar@example.org, tessa@example.org|robert@example.org, kaya@example.net}

{Please bring your numbers for the second quarter.|Her papers are in the folder of the personnel department.}

Join the video meeting: https://meet.example/{abc-defg-hij|xyz-uvwt-klm}
Or call {+49 30 1234 0|+49 30 1234 99} and enter the code {553 201 882|918 004 316}.

Yes - Maybe - No. You can answer from your calendar. Invitations are sent to all guests; if you forward this one, the person you
forward it to may answer in your name and see the list of guests.
"""),
    ("meeting reminder", "Reminder: {garden committee|parents' evening} {tomorrow|on Wednesday}", """\
This is a reminder for {garden committee|parents' evening of class 4b}.

{Tomorrow, 18:30, in the club house|Wednesday, 30 September, 19:00, in the library}

{Topics: the new pump, who waters in August, the summer party.|Topics: election of the speakers, the trip to the coast, mathematics.}

You receive this reminder because you said that you would come. If you can no longer come please change your answer, so that the
others can plan. You can turn reminders off in your calendar's settings.
"""),
    ("doctor's appointment", "Your appointment on {Tuesday|Friday}", """\
Dear {Mrs Lindgren|Mr Osman},

we remind you of your appointment on {Tuesday, 17 March 2026 at 8:40|Friday, 4 September 2026 at 14:20} with {Dr Berg|Dr Castellanos}.

{Please come without having eaten: we will take blood.|Please bring your vaccination card and the letter of the hospital.}

If you cannot come please call us at least one day before, so that somebody else can have the time. Bring your insurance card if it is
your first visit in this quarter. Please use the entrance in the yard and ring twice; the lift goes to the third floor.

With best wishes
Medical practice at the mill
"""),
    ("newsletter", "{Spring|Autumn} at the museum", """\
Dear friends of the museum,

{the tulips are out, and so is our new wing. From 2 April you can see ninety drawings by Clara Voight that have never left the attic of
her family; her granddaughter will talk about them on the first Sunday. In the studio children make paper from old newspapers, and the
café has put its chairs into the yard again.|when the leaves fall we bring light: eleven artists have hung lamps, mirrors and one burning
bicycle into the old boiler house. On Thursdays it stays open until midnight. The lecture about forged maps had to be moved to
November, tickets stay valid. And we are looking for people who read to others on Saturday afternoons.}

We look forward to your visit,
{Anneke Dahl|Bruno Castellani}, director

Opening hours: Tuesday to Sunday 10 to 18, Thursday to 21. Admission 9 euros, reduced 5; children under twelve free of charge. Tram 4
and 11 to Old Harbour.
You receive this newsletter because you subscribed to it on our web site or at the desk. If you no longer wish to receive it, click here
to unsubscribe, or write to us. View this message in your browser. Museum at the Harbour, Quay 3, 2100 Port Ellen. Director: the city of
Port Ellen. We use your address for this newsletter only and never hand it to others; see our privacy policy.
"""),
    ("newsletter, German", "Neues aus dem {Buchladen|Buchladen} im {Mai|Oktober}", """\
Liebe Leserinnen und Leser,

{draußen blüht der Flieder, und wir haben die Kisten mit den Reisebüchern ausgepackt: zu Fuß durch Albanien, mit dem Postschiff zum
Nordkap, auf dem Rad rund um den Bodensee. Am 21. Mai liest Hanna Quell aus ihrem neuen Roman, der Eintritt ist frei.|die Abende werden
lang, und wir empfehlen drei dicke Bücher für das Sofa: einen Krimi aus dem Hafen von Triest, die Briefe zweier Schwestern aus Königsberg
und ein Kochbuch nur über Kürbis. Unser Lesekreis trifft sich ab jetzt mittwochs.}

Herzlich
{Ihre Ulla Kranz|Ihr Jens Kranz}

Sie erhalten diesen Newsletter, weil Sie sich auf unserer Internetseite dafür angemeldet haben. Wenn Sie keine weiteren Nachrichten
erhalten möchten, klicken Sie bitte hier, um sich abzumelden. Impressum: Buchladen Kranz, Lange Straße 5, 32657 Lemgo. Inhaberin: Ulla
Kranz. Öffnungszeiten: Montag bis Freitag 9 bis 18:30 Uhr, Samstag 9 bis 14 Uhr. Hinweise zum Datenschutz finden Sie auf unserer Seite.
"""),
    ("letter of a school", "{Trip to the zoo|Sports day}", """\
Dear parents and guardians,

{on Thursday, 21 May class 3 will visit the zoo. We leave at 8:30 and are back at 15:00. The entrance and the bus cost six pounds a child.
Please give your child a packed lunch, something to drink and a coat, no sweets and no telephones.|on Friday, 26 June we hold our sports
day on the field behind the church. Races begin at 9:15; families are welcome from eleven on, when there will be sausages and lemonade.
Children need their kit, a hat and sun cream. If it pours we try again on the Monday.}

Please return the slip below to the class teacher by {14 May|19 June}. If your child needs medicine during the day or has an allergy,
please fill in the form for medicines in the office, even if you have done so before. Children may only be collected early with a
written note. As always we are grateful for parents who come along and help.

Yours faithfully,
{Mrs Pemberton|Mr Adeyemi}
St Bride's Primary School
"""),
    ("letter of a school, German", "Elternbrief {Wandertag|Läuse}", """\
Liebe Eltern,

{am Dienstag, dem 9. Juni, ist Wandertag. Wir gehen zum Steinbruch und grillen dort; bitte geben Sie Ihrem Kind eine Wurst, feste Schuhe
und Regenzeug mit. Treffpunkt ist um 8 Uhr auf dem Schulhof, Rückkehr gegen 13 Uhr.|in der Klasse Ihres Kindes sind Kopfläuse aufgetreten.
Bitte sehen Sie heute noch nach, vor allem hinter den Ohren und im Nacken, und behandeln Sie Ihr Kind, wenn Sie etwas finden. Mützen und
Kissen bitte heiß waschen.}

Bitte geben Sie den unterschriebenen Abschnitt bis {Freitag|morgen} bei der Klassenleitung ab. Bei Rückfragen erreichen Sie das Sekretariat
täglich zwischen 7:30 und 12 Uhr. Denken Sie bitte daran, Ihr Kind bei Krankheit vor Unterrichtsbeginn zu entschuldigen.

Mit freundlichen Grüßen
{A. Winkler, Klassenlehrerin|Dr. M. Brandt, Schulleiter}
"""),
    ("comment on an issue", "Re: [{sailmaker/rigging|hydra-tools/ledger}] {Crash on empty input (#218)|Rounding of yen (#77)}", """\
{@oakley commented on this issue.|@marzipan reopened this issue.}

{I can reproduce it with 2.3.1: the parser takes the end of the file for a tag and walks past it. A check in next_token() helps, but then
two of the tests for comments fail. Will look at it on the weekend.|Yen have no minor unit, so format() must not divide by a hundred. The
table in currencies.toml says so, it is just never asked. See also the discussion of last year about dinars.}

Reply to this email directly, view it on the site, or unsubscribe.
You are receiving this because you {were mentioned|are watching this repository}.
Message ID: <{sailmaker/rigging/issues/218/3391|hydra-tools/ledger/issues/77/1204}@forge.example>
"""),
    ("a build failed", "[{rigging|ledger}] build {#5121|#802} failed", """\
Build {#5121|#802} of {rigging|ledger} has failed.

Branch: {main|yen-rounding}
Commit: {4be01d9 "parser: stop at the end of the file"|c81f77e "format: ask the table of currencies"}
Author: {oakley|marzipan}
Duration: {4 min 12 s|11 min 58 s}

{Failed: test_parser.EmptyInput, test_parser.Comment|Failed: lint (1 warning), test_format.Yen}

See the log: https://ci.example/{rigging/5121|ledger/802}

You receive this message because you wrote one of the commits or watch the project. To change which builds you hear of go to
Settings, Notifications.
"""),
    ("library: books are due", "Please return {2 books|1 book}", """\
Dear {Hannah Weiss|Theo Marin},

the loan of the following {books|book} ends in three days:

{Stone, The Weather of Ports, due 12 May 2026|Vidal, A Field Guide to Moss, due 9 November 2026}
{Ito, Paper Boats, due 12 May 2026|}

You can renew loans twice in your account unless somebody else is waiting. Books that come back late cost 20 cents a day each. You may
return them at any branch, at night through the flap beside the door.

Happy reading!
Your city library
"""),
]

ATTACHED = [
    ("terms as PDF", "pdf", "Your {quotation|order} {A-118|A-240}", """\
Dear {Mr Quist|Ms Ferreira},

{thank you for asking. For forty chairs of the type Fjord in ash we can offer you 129 euros each, delivered in six weeks.|we are glad to
confirm your order of two oak tables, 220 x 95 cm, at 940 euros each; our carpenter will call you about the day.} Our general terms are
attached.

With kind regards
{Signe Aas|Ole Tveit}
"""),
    ("visiting card", "vcard", "{Lunch|Keys}", """\
{Shall we say half past twelve at the Italian? I have to be back by two.|The keys are with Mr Brand on the ground floor, he is there until
four.}

{Nils|Nils}
"""),
    ("logo of a house", "logo", "{Samples|Delivery on Monday}", """\
Hello {Ruth|Mr Engel},

{the samples left yesterday and should be with you on Wednesday. Tell me which of the three blues you like best.|our driver comes on Monday
between eight and ten and needs somebody who helps him with the piano.}

Best
{Wanda|Florian}
"""),
    ("form", "form", "{Membership|Change of address}", """\
Dear {Mrs Holt|Mr Wójcik},

{welcome to our sports club! Please fill in the form, sign it and bring it to your first training on Tuesday at six.|we have noted that you
move to Gdynia in May. For your new address we need the attached form with your signature.}

Kind regards
{Office of the club|Office of the club}
"""),
]
