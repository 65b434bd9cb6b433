# IMAPSieve: somebody moved a message into the mailbox of spam. Where it came from does not matter.
require ["copy", "environment", "imapsieve", "variables", "vnd.dovecot.pipe"];

if environment :matches "imap.user" "*" {
  set "user" "${1}";
}
# :try and :copy: whatever the program does, the move is done.
pipe :copy :try "shingled-report" ["spam", "${user}"];
