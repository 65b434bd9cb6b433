# IMAPSieve: somebody moved a message out of the mailbox of spam. To throw it away says nothing about it.
require ["copy", "environment", "imapsieve", "mailbox", "special-use", "variables", "vnd.dovecot.pipe"];

if environment :matches "imap.mailbox" "*" {
  set "mailbox" "${1}";
}
if anyof (specialuse_exists "${mailbox}" "\\Trash",
          specialuse_exists "${mailbox}" "\\Junk",
          string :is "${mailbox}" ["Trash", "Deleted Items", "Deleted Messages"]) {
  stop;
}
if environment :matches "imap.user" "*" {
  set "user" "${1}";
}
pipe :copy :try "shingled-report" ["ham", "${user}"];
