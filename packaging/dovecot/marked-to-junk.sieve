# Delivery: what the filter marked goes to the mailbox of spam, before the scripts of the user. What is delivered there by
# itself stays as it is.
require ["environment", "fileinto", "mailbox", "special-use", "variables", "vnd.dovecot.environment"];

# `setup dovecot` tells other names than these (milter.headers, and the mailbox where no mailbox has the special use yet).
set "status" "X-Shingled-Status";
set "spam" "X-Spam";
set "junk" "Junk";
if environment :matches "vnd.dovecot.config.shingled_status" "?*" {
  set "status" "${1}${2}";
}
if environment :matches "vnd.dovecot.config.shingled_spam" "?*" {
  set "spam" "${1}${2}";
}
if environment :matches "vnd.dovecot.config.shingled_junk" "?*" {
  set "junk" "${1}${2}";
}
if environment :matches "vnd.dovecot.default-mailbox" "*" {
  set "mailbox" "${1}";
}
# The filter removes a status that mail comes with; X-Spam is another filter's, too, and stays. So the status decides. It is
# "Unknown" where something could not be looked up; then X-Spam tells whether the rest was enough for the mark.
if allof (anyof (header :matches "${status}" "Yes,*",
                 allof (header :matches "${status}" "Unknown,*", header :is "${spam}" "Yes")),
          not string :is "${mailbox}" "${junk}",
          not specialuse_exists "${mailbox}" "\\Junk") {
  fileinto :specialuse "\\Junk" :create "${junk}";
}
