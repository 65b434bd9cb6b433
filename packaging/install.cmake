# Part of `cmake --install`: what is in /etc and the systemd unit, whose paths follow from the prefix, and what the
# program prints about itself (pages.cmake): manual pages of the commands, and completion.
#   SHINGLED_PACKAGING   this folder
#   SHINGLED_SYSCONFDIR  CMAKE_INSTALL_SYSCONFDIR, absolute or below the prefix
#   SHINGLED_GENERATED   where the unit is made, and the pages were made with the program
#   SHINGLED_MANDIR, SHINGLED_DATADIR, SHINGLED_ZSH_COMPLETIONS  below the prefix
# DESTDIR counts for where files go, not for what they say.

# As GNUInstallDirs does, which knows only the prefix of the configuration of the build.
cmake_path(SET prefix NORMALIZE "${CMAKE_INSTALL_PREFIX}/")
cmake_path(GET prefix PARENT_PATH prefix)
if(IS_ABSOLUTE "${SHINGLED_SYSCONFDIR}")
  set(sysconfdir "${SHINGLED_SYSCONFDIR}")
elseif(prefix STREQUAL "/usr" OR prefix STREQUAL "/")
  set(sysconfdir "/${SHINGLED_SYSCONFDIR}")
elseif(prefix MATCHES "^/opt/")
  set(sysconfdir "/${SHINGLED_SYSCONFDIR}${prefix}")
else()
  set(sysconfdir "${prefix}/${SHINGLED_SYSCONFDIR}")
endif()

cmake_path(APPEND prefix bin shingled OUTPUT_VARIABLE SHINGLED_PROGRAM)
cmake_path(APPEND prefix lib shingled shingled-train OUTPUT_VARIABLE SHINGLED_TRAIN)
set(SHINGLED_CONFIGURATION "${sysconfdir}/shingled/shingled.yaml")

# ---- /etc: what somebody may have edited stays -------------------------------------------------------------
# shingled_configuration(SHIPPED FILE): installs SHIPPED as FILE below sysconfdir.
function(shingled_configuration shipped file)
  set(installed "$ENV{DESTDIR}${sysconfdir}/${file}")
  cmake_path(GET file FILENAME name)
  cmake_path(GET file PARENT_PATH folder)
  if(EXISTS "${installed}")
    file(SHA256 "${shipped}" shipped_hash)
    file(SHA256 "${installed}" installed_hash)
    if(NOT shipped_hash STREQUAL installed_hash)
      message(STATUS "Keeping: ${installed} (the new one is beside it: ${name}.new)")
      string(APPEND name ".new")
    endif()
  endif()
  file(INSTALL "${shipped}" DESTINATION "${sysconfdir}/${folder}" RENAME "${name}")
endfunction()

shingled_configuration("${SHINGLED_PACKAGING}/etc/shingled.yaml" shingled/shingled.yaml)
foreach(file policy.yaml policy-shingler.yaml)
  shingled_configuration("${SHINGLED_PACKAGING}/${file}" shingled/${file})
endforeach()
shingled_configuration("${SHINGLED_PACKAGING}/etc/logrotate" logrotate.d/shingled)
set(SHINGLED_SYSCONFIGURATION "${sysconfdir}/shingled")
configure_file("${SHINGLED_PACKAGING}/etc/apparmor.in" "${SHINGLED_GENERATED}/apparmor" @ONLY)
shingled_configuration("${SHINGLED_GENERATED}/apparmor" apparmor.d/shingled)

# ---- the unit ----------------------------------------------------------------------------------------------
configure_file("${SHINGLED_PACKAGING}/systemd/shingled.service.in" "${SHINGLED_GENERATED}/shingled.service" @ONLY)
file(INSTALL "${SHINGLED_GENERATED}/shingled.service" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")

# ---- manual pages of the commands, and completion ----------------------------------------------------------
set(data "${CMAKE_INSTALL_PREFIX}/${SHINGLED_DATADIR}")
if(EXISTS "${SHINGLED_GENERATED}/completion.bash")
  file(GLOB made "${SHINGLED_GENERATED}/man1/*.1")
  file(INSTALL ${made} DESTINATION "${CMAKE_INSTALL_PREFIX}/${SHINGLED_MANDIR}/man1")
  file(INSTALL "${SHINGLED_GENERATED}/completion.bash" DESTINATION "${data}/bash-completion/completions" RENAME shingled)
  file(INSTALL "${SHINGLED_GENERATED}/completion.zsh" DESTINATION "${CMAKE_INSTALL_PREFIX}/${SHINGLED_ZSH_COMPLETIONS}"
    RENAME _shingled)
else()
  message(WARNING "without manual pages of commands and completion: the program does not run here")
endif()

# ---- reports by moves of mail, and by mail -----------------------------------------------------------------
set(SHINGLED_SPOOL "/var/spool/shingled")
set(SHINGLED_USER _shingled)
cmake_path(GET SHINGLED_PROGRAM PARENT_PATH share)
cmake_path(GET share PARENT_PATH share)
cmake_path(APPEND share "${SHINGLED_DATADIR}" shingled OUTPUT_VARIABLE SHINGLED_SHARE)
set(installed "${data}/shingled")
set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
foreach(file dovecot/shingled-report postfix/shingled-report-mail postfix/master.cf.example
    systemd/shingled-reports.service systemd/shingled-train.service)
  configure_file("${SHINGLED_PACKAGING}/${file}.in" "${SHINGLED_GENERATED}/${file}" @ONLY)
endforeach()
foreach(script report-spam report-ham marked-to-junk)
  file(INSTALL "${SHINGLED_PACKAGING}/dovecot/${script}.sieve" DESTINATION "${installed}/dovecot")
endforeach()
file(INSTALL "${SHINGLED_GENERATED}/dovecot/shingled-report" DESTINATION "${installed}/dovecot/bin"
  PERMISSIONS ${executable})
file(INSTALL "${SHINGLED_GENERATED}/postfix/shingled-report-mail" DESTINATION "${installed}/postfix"
  PERMISSIONS ${executable})
file(INSTALL "${SHINGLED_GENERATED}/postfix/master.cf.example" DESTINATION "${installed}/postfix")
file(INSTALL "${SHINGLED_GENERATED}/systemd/shingled-reports.service" "${SHINGLED_PACKAGING}/systemd/shingled-reports.timer"
  "${SHINGLED_GENERATED}/systemd/shingled-train.service" "${SHINGLED_PACKAGING}/systemd/shingled-train.timer"
  DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
file(INSTALL "${SHINGLED_PACKAGING}/systemd/shingled-reports.tmpfiles" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/tmpfiles.d"
  RENAME shingled-reports.conf)
