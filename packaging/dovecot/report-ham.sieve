# IMAPSieve: somebody moved a message out of the mailbox of spam. To throw it away, or to sort spam, says nothing about it.
require ["copy", "environment", "imapsieve", "mailbox", "special-use", "variables", "vnd.dovecot.environment",
         "vnd.dovecot.imapsieve", "vnd.dovecot.pipe"];

if environment :matches "imap.mailbox" "*" {
  set "mailbox" "${1}";
}
if anyof (specialuse_exists "${mailbox}" "\\Trash",
          specialuse_exists "${mailbox}" "\\Junk",
          string :is "${mailbox}" ["Trash", "Deleted Items", "Deleted Messages"],
          string :matches "${mailbox}" ["Trash/*", "Trash.*", "INBOX.Trash*", "INBOX/Trash*"]) {
  stop;
}
# lazy_expunge copies what is deleted to a mailbox, or to one of the same name in a namespace. `setup dovecot` names it;
# the others are the names of Dovecot's manual, where it has not.
if string :matches "${mailbox}" ["EXPUNGED", ".EXPUNGED", "EXPUNGED/*", ".EXPUNGED/*", "*/EXPUNGED", "*.EXPUNGED", "EXPUNGED.*",
                                 "DELETED/*", "DELETED.*"] {
  stop;
}
if environment :matches "vnd.dovecot.config.shingled_expunged" "?*" {
  set "expunged" "${1}${2}";
  if string :matches "${mailbox}" ["${expunged}", "${expunged}/*", "${expunged}.*"] {
    stop;
  }
}
# A mailbox below that of spam has spam, too.
if environment :matches "vnd.dovecot.mailbox-from" "*" {
  set "from" "${1}";
  if string :matches "${mailbox}" ["${from}/*", "${from}.*"] {
    stop;
  }
}
if environment :matches "imap.user" "*" {
  set "user" "${1}";
}
pipe :copy :try "shingled-report" ["ham", "${user}"];
