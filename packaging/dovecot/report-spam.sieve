# IMAPSieve: somebody moved a message into the mailbox of spam. Where it came from does not matter, except from below it.
require ["copy", "environment", "imapsieve", "variables", "vnd.dovecot.environment", "vnd.dovecot.imapsieve",
         "vnd.dovecot.pipe"];

if environment :matches "imap.mailbox" "*" {
  set "mailbox" "${1}";
}
# Without a mailbox it comes from, it was appended.
if environment :matches "vnd.dovecot.mailbox-from" "*" {
  set "from" "${1}";
  if string :matches "${from}" ["${mailbox}/*", "${mailbox}.*"] {
    stop;
  }
}
if environment :matches "imap.user" "*" {
  set "user" "${1}";
}
# :try and :copy: whatever the program does, the move is done.
pipe :copy :try "shingled-report" ["spam", "${user}"];
