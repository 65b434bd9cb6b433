"""What machines answer: bounces and receipts as mail servers and mail programs write them, out-of-office replies, notices of
lists. {this|that} is what the two messages of a pair differ in.

`status`: what stands in the machine-readable part, `returned`: the beginning of the message it is about.
"""

RETURNED = """\
Received: from {[192.0.2.14]|[198.51.100.9]} by {mx.example.org|relay.example.net} with ESMTP id {4C1XYZ2|9F0ABC7}
From: {Ines Kühn <ines@example.org>|newsletter@example.net}
To: {bernd.alt@customer.example|sales@shop.example}
Subject: {Agenda for Thursday|Our summer programme is out}
Date: {Tue, 3 Mar 2026 10:11:12 +0100|Fri, 10 Jul 2026 07:00:01 +0000}
Message-ID: <{aa81@example.org|b702@example.net}>
"""

STATUS = """\
Reporting-MTA: dns; {mx.example.org|relay.example.net}
Arrival-Date: {Tue,  3 Mar 2026 10:11:13 +0100 (CET)|Fri, 10 Jul 2026 07:00:04 +0000 (UTC)}

Final-Recipient: rfc822; {bernd.alt@customer.example|sales@shop.example}
Action: failed
Status: {5.1.1|5.2.2}
Remote-MTA: dns; {mail.customer.example|mx1.shop.example}
Diagnostic-Code: smtp; {550 5.1.1 <bernd.alt@customer.example>: Recipient address rejected: User unknown|552 5.2.2 The mailbox is
    full and cannot take messages now}
"""

DISPOSITION = """\
Reporting-UA: mail.example.org; {Mailbird 2.9|Courier Desk 11}
Final-Recipient: rfc822; {p.vance@example.org|iris@example.net}
Original-Message-ID: <{aa81@example.org|b702@example.net}>
Disposition: manual-action/MDN-sent-manually; {displayed|deleted}
"""

REPORTS = [
    ("bounce of Postfix", "Undelivered Mail Returned to Sender", STATUS, """\
This is the mail system at host {mx.example.org|relay.example.net}.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to postmaster.

If you do so, please include this problem report. You can
delete your own text from the attached returned message.

                   The mail system

<{bernd.alt@customer.example|sales@shop.example}>: host {mail.customer.example[192.0.2.200]|mx1.shop.example[203.0.113.5]} said:
    {550 5.1.1 <bernd.alt@customer.example>: Recipient address rejected: User unknown in virtual mailbox table (in reply to RCPT TO
    command)|552 5.2.2 The mailbox is full and cannot take messages now (in reply to end of DATA command)}
"""),
    ("delay of Postfix", "Delayed Mail (still being retried)", STATUS.replace("failed", "delayed"), """\
This is the mail system at host {mx.example.org|relay.example.net}.

####################################################################
# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #
####################################################################

Your message could not be delivered for more than {4|12} hour(s).
It will be retried until it is {5|3} day(s) old.

For further assistance, please send mail to postmaster.

If you do so, please include this problem report. You can
delete your own text from the attached returned message.

                   The mail system

<{bernd.alt@customer.example|sales@shop.example}>: connect to {mail.customer.example[192.0.2.200]:25|mx1.shop.example[203.0.113.5]:25}:
    {Connection timed out|Connection refused}
"""),
    ("bounce of Sendmail", "Returned mail: see transcript for details", STATUS, """\
The original message was received at {Tue, 3 Mar 2026 10:11:13 +0100|Fri, 10 Jul 2026 07:00:04 GMT}
from {client.example.org [192.0.2.14]|list.example.net [198.51.100.9]}

   ----- The following addresses had permanent fatal errors -----
<{bernd.alt@customer.example|sales@shop.example}>
    (reason: {550 5.1.1 User unknown|552 5.2.2 mailbox full})

   ----- Transcript of session follows -----
... while talking to {mail.customer.example.|mx1.shop.example.}:
>>> {RCPT To:<bernd.alt@customer.example>|DATA}
<<< {550 5.1.1 User unknown|552 5.2.2 mailbox full, ask the recipient to make room}
{550 5.1.1 <bernd.alt@customer.example>... User unknown|554 5.0.0 Service unavailable}
"""),
    ("bounce of Exim", "Mail delivery failed: returning message to sender", STATUS, """\
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {bernd.alt@customer.example|sales@shop.example}
    host {mail.customer.example [192.0.2.200]|mx1.shop.example [203.0.113.5]}
    SMTP error from remote mail server after {RCPT TO:<bernd.alt@customer.example>|end of data}:
    {550 5.1.1 No such user here|552 5.2.2 Mailbox quota exceeded, please try again later}
"""),
    ("bounce of Exchange", "Undeliverable: {Agenda for Thursday|Our summer programme is out}", STATUS, """\
Delivery has failed to these recipients or groups:

{bernd.alt@customer.example|sales@shop.example}
{The email address you entered couldn't be found. Please check the recipient's email address and try to resend the message. If the
problem continues, please contact your email admin.|The recipient's mailbox is full and can't accept messages now. Please try
resending your message later, or contact the recipient directly.}

Diagnostic information for administrators:

Generating server: {AM6PR04MB5702.prod.example.com|VI1PR0801MB2076.prod.example.com}

{bernd.alt@customer.example|sales@shop.example}
Remote Server returned '{550 5.1.1 RESOLVER.ADR.RecipNotFound; not found|554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceeded}'

Original message headers:
Received: from {AM5PR0401CA0003|DB6PR0802CA0041} by {AM6PR04MB5702|VI1PR0801MB2076} with Microsoft SMTP Server
"""),
    ("bounce of qmail", "failure notice", None, """\
Hi. This is the qmail-send program at {mx.example.org|relay.example.net}.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{bernd.alt@customer.example|sales@shop.example}>:
{192.0.2.200 does not like recipient.|203.0.113.5 failed after I sent the message.}
Remote host said: {550 5.1.1 User unknown|552 5.2.2 The mailbox is full}
Giving up on {192.0.2.200|203.0.113.5}.

--- Below this line is a copy of the message.

Return-Path: <{ines@example.org|newsletter@example.net}>
Subject: {Agenda for Thursday|Our summer programme is out}

{Dear all, on Thursday we begin at ten and talk about the move to the new hall, the keys and who brings the cake.|Concerts in the
park, three walks with the forester and a workshop for bookbinders: here is what July and August bring.}
"""),
    ("receipt: read", "Read: {Agenda for Thursday|Offer 2026-118}", DISPOSITION, """\
This is a return receipt for the mail that you sent to {p.vance@example.org|iris@example.net}.

Subject: {Agenda for Thursday|Offer 2026-118}
Date: {3 March 2026 10:11|10 July 2026 07:00}

Note: This return receipt only acknowledges that the message was displayed on the recipient's computer. There is no guarantee that
the recipient has read or understood the message contents.
"""),
    ("receipt: deleted", "Not read: {Minutes of 2 June|Reminder: time sheets}", DISPOSITION, """\
Your message

To: {Vance, Paula|Iris Holm}
Subject: {Minutes of 2 June|Reminder: time sheets}
Sent: {Tuesday, 2 June 2026 17:40:03 (UTC+01:00)|Monday, 31 August 2026 08:00:00 (UTC+01:00)}

was deleted without being read on {Friday, 5 June 2026 09:12:55|Tuesday, 1 September 2026 07:48:10} (UTC+01:00) Amsterdam, Berlin,
Bern, Rome, Stockholm, Vienna.
"""),
]

TEMPLATES = [
    ("out of office", "Automatic reply: {Agenda for Thursday|Offer 2026-118}", """\
Thank you for your message.

I am out of the office from {2 to 13 March|20 July to 7 August} and will have no access to my mail. I will answer as soon as I am
back. In urgent cases please contact my colleague {Paula Vance, extension 418|Steven Marsh, extension 207}. Your message will not be
forwarded automatically.

Kind regards,
{Bernd Alt|Claire Hutton}
{Purchasing|Customer projects}
"""),
    ("out of office, German", "Automatische Antwort: {Termin|Angebot}", """\
Sehr geehrte Damen und Herren,

vielen Dank für Ihre Nachricht. Ich bin derzeit nicht im Büro und ab dem {16. März|10. August} 2026 wieder erreichbar. Ihre Nachricht
wird nicht automatisch weitergeleitet. In dringenden Fällen wenden Sie sich bitte an {Frau Seidel (Durchwahl 12)|meine Kollegen unter
der zentralen Rufnummer}.

Mit freundlichen Grüßen
{Thorsten Maas|Nina Albrecht}
"""),
    ("a ticket is open", "[Ticket {#71882|#73014}] {Printer on the third floor|Access to the archive}", """\
Dear {Mr Costa|Ms Ivanova},

we have received your request and opened a ticket for it:

Number: {71882|73014}
Subject: {Printer on the third floor|Access to the archive}
Priority: {normal|high}

One of our colleagues will look into it as soon as possible, usually within one working day. You can add to your request by
answering this message; please leave the number of the ticket in the subject, so that your answer finds its way. Many questions are
answered in our knowledge base, too.

{You wrote: The printer by the kitchen says that its drum is worn and prints grey stripes on each page.|You wrote: For the audit next week
I need to read the contracts of 2019 and 2020, and my badge does not open the archive.}

Your service desk
This is an automatic message. Service hours: Monday to Friday, 7:30 to 18:00.
"""),
    ("a list waits for its moderator", "{Gardeners|Choir-news} post from {rosa@example.org|deals@example.net} requires approval", """\
As list administrator, your authorization is requested for the following mailing list posting:

    List:    {gardeners@lists.example.org|choir-news@lists.example.net}
    From:    {rosa@example.org|deals@example.net}
    Subject: {Apple trees to give away|Win a cruise}

The message is being held because:

    {The message is not from a list member|Message body is too big: 81920 bytes with a limit of 40 KB}

At your convenience, visit your dashboard to approve or deny the request.
"""),
    ("confirm a subscription", "Please confirm your subscription to {Gardeners|Harbour Jazz}", """\
Email address registration confirmation

Hello, this is the list server at {lists.example.org|lists.example.net}.

We have received a registration request for the email address {rosa@example.org|miles@example.net} to the list {gardeners|harbour-jazz}.
Before you can start using it, you must first confirm that this is your email address. You can do this by replying to this message,
keeping the subject intact:

    confirm {7c9e66ab1f|0dd2184ce5}

If you do not wish to register this email address, simply disregard this message. If you think you are being maliciously subscribed to
the list, or have any other questions, you may contact the owner of the list.
"""),
]
