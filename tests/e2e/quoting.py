"""Messages that contain another one which is not theirs: answers, forwards, warnings and bounces, in the forms of the mail
programs that people use."""

import email.message
import email.policy
import zlib

ME = "bob@example.org"
OTHER = "ann@example.net"
OWN = ("Hello Ann,\n\nis this from your shop? I never ordered anything there, and my neighbour got the same letter "
       "yesterday evening.\n\nRegards\nBob")
NOTE = "See below, I think that it is for you and not for me, so please look at it when you are back.\n\nBob"
WARNING = ("Dear colleagues,\n\na dangerous letter is going round in our house this morning. Do not open its link, do not "
           "call the number, and delete it at once. The help desk answers all questions in room seven.\n")


def text_of(message):
    return message.get_body(("plain",)).get_content().replace("\r\n", "\n")


def html_of(message):
    return message.get_body(("html",)).get_content().replace("\r\n", "\n")


def marked(text):
    return "".join(f"> {line}\n" if line else ">\n" for line in text.rstrip("\n").split("\n"))


def paragraphs(text):
    return "".join(f"<div>{line or '<br>'}</div>" for line in text.split("\n"))


def start(subject, sender=ME, to=OTHER, answers=None, **fields):
    out = email.message.EmailMessage(policy=email.policy.SMTP)
    out["Received"] = "from client.example.org by mx.example.net; Fri, 28 Nov 2025 10:00:00 +0000"
    out["From"], out["To"], out["Subject"] = sender, to, subject
    out["Date"] = "Fri, 28 Nov 2025 10:00:00 +0000"
    out["Message-ID"] = f"<{zlib.crc32(subject.encode())}.answer@example.org>"
    if answers is not None:
        out["In-Reply-To"] = out["References"] = str(answers["Message-ID"])
    for name, value in fields.items():
        out[name.replace("_", "-")] = value
    return out


def author(message, verb="wrote"):
    return f"On Thu, Nov 27, 2025 at 9:30 AM {message['From']} {verb}:"


def header_lines(message, names=("From", "Sent", "To", "Subject")):
    values = {"From": message["From"], "Sent": "Thursday, November 27, 2025 9:30 AM", "To": message["To"],
              "Subject": message["Subject"], "Date": "Thu, Nov 27, 2025 at 9:30 AM"}
    return "".join(f"{name}: {values[name]}\n" for name in names)


def with_texts(out, plain, html=None):
    out.set_content(plain)
    if html is not None:
        out.add_alternative(f"<html><body>{html}</body></html>", subtype="html")
    return out.as_bytes()


def reply_plain(message):
    return with_texts(start(f"Re: {message['Subject']}", answers=message),
                      f"{OWN}\n\n{author(message)}\n{marked(text_of(message))}")


def reply_below(message):
    return with_texts(start(f"Re: {message['Subject']}", answers=message),
                      f"{author(message)}\n\n{marked(text_of(message))}\n{OWN}\n")


def reply_gmail(message):
    quote = (f"<br><div class=\"gmail_quote gmail_quote_container\"><div dir=\"ltr\" class=\"gmail_attr\">{author(message)}<br></div>"
             f"<blockquote class=\"gmail_quote\" style=\"margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);"
             f"padding-left:1ex\">{html_of(message)}</blockquote></div>")
    return with_texts(start(f"Re: {message['Subject']}", answers=message),
                      f"{OWN}\n\n{author(message)}\n\n{marked(text_of(message))}", f"<div>{paragraphs(OWN)}</div>{quote}")


def reply_thunderbird(message):
    quote = (f"<div class=\"moz-cite-prefix\">{author(message)}<br></div><blockquote type=\"cite\" cite=\"mid:x@example.org\">"
             f"{html_of(message)}</blockquote>")
    out = start(f"Re: {message['Subject']}", answers=message)
    out.set_content(f"<html><body>{paragraphs(OWN)}{quote}</body></html>", subtype="html")
    return out.as_bytes()


def reply_outlook_plain(message):
    return with_texts(start(f"RE: {message['Subject']}", answers=message),
                      f"{OWN}\n\n-----Original Message-----\n{header_lines(message)}\n{text_of(message)}")


def reply_outlook_html(message):
    lines = "".join(f"<b>{line.partition(':')[0]}:</b>{line.partition(':')[2]}<br>"
                    for line in header_lines(message).splitlines())
    quote = ("<div style=\"border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm\"><p class=\"MsoNormal\">"
             f"{lines}</p></div>{html_of(message)}")
    return with_texts(start(f"AW: {message['Subject']}", answers=message),
                      f"{OWN}\n\n{header_lines(message)}\n{text_of(message)}", f"{paragraphs(OWN)}{quote}")


def reply_outlook_web(message):
    quote = ("<div id=\"appendonsend\"></div><hr><div id=\"divRplyFwdMsg\" dir=\"ltr\"><b>Kimden:</b> "
             f"{OTHER}</div><div>{html_of(message)}</div>")
    out = start(f"YNT: {message['Subject']}", answers=message)
    out.set_content(f"<html><body>{paragraphs(OWN)}{quote}</body></html>", subtype="html")
    return out.as_bytes()


def forward_plain(message):
    return with_texts(start(f"Fwd: {message['Subject']}"),
                      f"{NOTE}\n\n---------- Forwarded message ---------\n"
                      f"{header_lines(message, ('From', 'Date', 'Subject', 'To'))}\n\n{text_of(message)}")


def forward_html(message):
    quote = ("<br><div>Begin forwarded message:</div><br><blockquote type=\"cite\"><div><b>From: </b>"
             f"{OTHER}</div><div><b>Subject: </b>{message['Subject']}</div><br>{html_of(message)}</blockquote>")
    return with_texts(start(f"Fwd: {message['Subject']}"),
                      f"{NOTE}\n\nBegin forwarded message:\n\n{marked(text_of(message))}", f"{paragraphs(NOTE)}{quote}")


def forward_attached(message, words=NOTE):
    out = start(f"Fwd: {message['Subject']}")
    out.set_content(words)
    out.add_attachment(message)
    return out.as_bytes()


def forward_silently(message):
    return forward_attached(message, "")


def warning(message):
    return with_texts(start("Warning: do not open this letter"),
                      f"{WARNING}\n{header_lines(message, ('From', 'Date', 'Subject', 'To'))}\n{text_of(message)}")


def warning_marked(message):
    return with_texts(start("Warning: do not open this letter"), f"{WARNING}\n{marked(text_of(message))}")


def daemon_mail(subject, **fields):
    return start(subject, sender="MAILER-DAEMON@mx.example.net (Mail Delivery System)", to=ME, Return_Path="<>", **fields)


def bounce_postfix(message, whole=True):
    raw = message.as_bytes()
    head = raw.partition(b"\r\n\r\n")[0] + b"\r\n"
    kind, copy = (b"message/rfc822", raw) if whole else (b"text/rfc822-headers", head)
    out = daemon_mail("Undelivered Mail Returned to Sender", Auto_Submitted="auto-replied")
    return (bytes(out).rstrip(b"\r\n") +
            b"\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=\"b/x\"\r\n\r\n"
            b"--b/x\r\nContent-Description: Notification\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n"
            b"This is the mail system at host mx.example.net.\r\n\r\nI'm sorry to have to inform you that your message could"
            b" not\r\nbe delivered to one or more recipients. It's attached below.\r\n\r\n<ann@example.net>: unknown user\r\n\r\n"
            b"--b/x\r\nContent-Description: Delivery report\r\nContent-Type: message/delivery-status\r\n\r\n"
            b"Reporting-MTA: dns; mx.example.net\r\n\r\nFinal-Recipient: rfc822; ann@example.net\r\nAction: failed\r\n"
            b"Status: 5.1.1\r\n\r\n--b/x\r\nContent-Type: " + kind + b"\r\n\r\n" + copy + b"\r\n--b/x--\r\n")


def bounce_postfix_header(message):
    return bounce_postfix(message, whole=False)


def bounce_text(message, subject, words, **fields):
    out = daemon_mail(subject, **fields)
    return bytes(out).rstrip(b"\r\n") + b"\r\n\r\n" + words.replace("\n", "\r\n").encode() + message.as_bytes()


def bounce_qmail(message):
    return bounce_text(message, "failure notice",
                       "Hi. This is the qmail-send program at mx.example.net.\nI'm afraid I wasn't able to deliver your message "
                       "to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n"
                       "<ann@example.net>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
                       "--- Below this line is a copy of the message.\n\n")


def bounce_exim(message):
    return bounce_text(message, "Mail delivery failed: returning message to sender",
                       "This message was created automatically by mail delivery software.\n\nA message that you sent could not "
                       "be delivered to one or more of its\nrecipients. This is a permanent error.\n\n  ann@example.net\n"
                       "    Unrouteable address\n\n------ This is a copy of the message, including all the headers. ------\n\n",
                       X_Failed_Recipients="ann@example.net")


# The kinds that must not suffer from a report of what they contain; bounces come from the null sender.
KINDS = (reply_plain, reply_below, reply_gmail, reply_thunderbird, reply_outlook_plain, reply_outlook_html, reply_outlook_web,
         forward_plain, forward_html, forward_attached, forward_silently, warning, warning_marked)
BOUNCES = (bounce_postfix, bounce_postfix_header, bounce_qmail, bounce_exim)


def copied(message):
    out = email.message.EmailMessage(policy=email.policy.SMTP)
    for name, value in message.items():
        if name.lower() not in ("content-type", "content-transfer-encoding", "mime-version"):
            out[name] = value
    return out


def dressed_marked(message):
    """The same spam, each line behind ">"."""
    return with_texts(copied(message), marked(text_of(message)))


def dressed_blockquote(message):
    out = copied(message)
    out.set_content(f"<html><body><blockquote>{html_of(message)}</blockquote></body></html>", subtype="html")
    return out.as_bytes()


def dressed_gmail(message):
    """In Gmail's element, and with a field that only answers have."""
    out = copied(message)
    out["In-Reply-To"] = "<made-up@example.org>"
    out.set_content(f"<html><body><div class=gmail_quote>{html_of(message)}</div></body></html>", subtype="html")
    return out.as_bytes()


def dressed_forward(message):
    """As a forward of which nobody says a word."""
    return with_texts(copied(message), f"---------- Forwarded message ---------\n{header_lines(message)}\n{text_of(message)}")


def dressed_attached(message):
    """The message is all that is sent."""
    out = copied(message)
    raw = message.as_bytes()
    return (bytes(out).rstrip(b"\r\n") + b"\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n" + raw)


def forged_answer(message, word="Hello"):
    """Like an answer in everything: what remains possible."""
    out = copied(message)
    out.replace_header("Message-ID", f"<{word}@example.org>")
    out["In-Reply-To"] = "<made-up@example.org>"
    page = html_of(message) if message.get_body(("html",)) else text_of(message)
    return with_texts(out, f"{word}\n\n{author(message)}\n{marked(text_of(message))}",
                      f"<div>{word}</div><div class=gmail_quote><div class=gmail_attr>{author(message)}</div>"
                      f"<blockquote>{page}</blockquote></div>")


DRESSED = (dressed_marked, dressed_blockquote, dressed_gmail, dressed_forward, dressed_attached)
