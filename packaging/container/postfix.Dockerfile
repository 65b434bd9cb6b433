# The Postfix of packaging/compose.yaml. It takes mail for its own name, that of the container; a real mail server also
# needs its domains, recipients and TLS (postconf -e).
FROM debian:bookworm-slim
RUN apt-get update \
 && echo 'postfix postfix/main_mailer_type select Internet Site' | debconf-set-selections \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postfix ca-certificates \
 && rm -rf /var/lib/apt/lists/*
# The installation has written down the name of the container that builds and a certificate that is not here. And it runs
# the services in a chroot, where no name can be resolved: the milter would not be found, and mail would pass unfiltered.
RUN postconf -X myhostname mydestination smtpd_tls_cert_file smtpd_tls_key_file smtpd_tls_security_level \
 && postconf -F '*/*/chroot=n' \
 && postconf -e maillog_file=/dev/stdout smtpd_milters=inet:shingled:11339 'non_smtpd_milters=$smtpd_milters' \
      milter_default_action=accept
CMD ["postfix", "start-fg"]
