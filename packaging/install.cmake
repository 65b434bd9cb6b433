# Part of `cmake --install`: the configuration and the systemd unit, whose paths follow from the prefix, and what the
# program prints about itself: manual pages of the commands, and completion.
#   SHINGLED_PACKAGING   this folder
#   SHINGLED_SYSCONFDIR  CMAKE_INSTALL_SYSCONFDIR, absolute or below the prefix
#   SHINGLED_GENERATED   where the unit and the pages are made
#   SHINGLED_BUILT       the program as it was built
#   SHINGLED_MANDIR, SHINGLED_DATADIR  below the prefix
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

# ---- the configuration: what somebody may have edited stays ------------------------------------------------
foreach(file shingled.yaml policy.yaml policy-shingler.yaml)
  set(shipped "${SHINGLED_PACKAGING}/${file}")
  set(installed "$ENV{DESTDIR}${sysconfdir}/shingled/${file}")
  set(name "${file}")
  if(NOT EXISTS "${shipped}")
    continue()
  endif()
  if(EXISTS "${installed}")
    file(SHA256 "${shipped}" shipped_hash)
    file(SHA256 "${installed}" installed_hash)
    if(NOT shipped_hash STREQUAL installed_hash)
      set(name "${file}.new")
      message(STATUS "Keeping: ${installed} (the new one is beside it: ${file}.new)")
    endif()
  endif()
  file(INSTALL "${shipped}" DESTINATION "${sysconfdir}/shingled" RENAME "${name}")
endforeach()

# ---- the unit ----------------------------------------------------------------------------------------------
cmake_path(APPEND prefix sbin shingled OUTPUT_VARIABLE SHINGLED_PROGRAM)
set(SHINGLED_CONFIGURATION "${sysconfdir}/shingled/shingled.yaml")
configure_file("${SHINGLED_PACKAGING}/systemd/shingled.service.in" "${SHINGLED_GENERATED}/shingled.service" @ONLY)
file(INSTALL "${SHINGLED_GENERATED}/shingled.service" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")

# ---- manual pages of the commands, and completion ----------------------------------------------------------
set(pages "${SHINGLED_GENERATED}/man1")
file(REMOVE_RECURSE "${pages}")
file(MAKE_DIRECTORY "${pages}")
execute_process(COMMAND "${SHINGLED_BUILT}" manual --directory "${pages}" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB made "${pages}/*.1")
file(INSTALL ${made} DESTINATION "${CMAKE_INSTALL_PREFIX}/${SHINGLED_MANDIR}/man1")
foreach(shell bash zsh)
  execute_process(COMMAND "${SHINGLED_BUILT}" completion ${shell}
    OUTPUT_FILE "${SHINGLED_GENERATED}/completion.${shell}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(data "${CMAKE_INSTALL_PREFIX}/${SHINGLED_DATADIR}")
file(INSTALL "${SHINGLED_GENERATED}/completion.bash" DESTINATION "${data}/bash-completion/completions" RENAME shingled)
file(INSTALL "${SHINGLED_GENERATED}/completion.zsh" DESTINATION "${data}/zsh/site-functions" RENAME _shingled)

# ---- reports by moves of mail, and by mail -----------------------------------------------------------------
set(SHINGLED_SPOOL "/var/spool/shingled")
set(SHINGLED_USER shingled)
cmake_path(GET SHINGLED_PROGRAM PARENT_PATH share)
cmake_path(GET share PARENT_PATH share)
cmake_path(APPEND share "${SHINGLED_DATADIR}" shingled OUTPUT_VARIABLE SHINGLED_SHARE)
set(installed "${data}/shingled")
set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
foreach(file dovecot/shingled-report dovecot/shingled-2.4.conf postfix/shingled-report-mail postfix/master.cf.example
    systemd/shingled-reports.service)
  configure_file("${SHINGLED_PACKAGING}/${file}.in" "${SHINGLED_GENERATED}/${file}" @ONLY)
endforeach()
file(INSTALL "${SHINGLED_PACKAGING}/dovecot/report-spam.sieve" "${SHINGLED_PACKAGING}/dovecot/report-ham.sieve"
  "${SHINGLED_GENERATED}/dovecot/shingled-2.4.conf" DESTINATION "${installed}/dovecot")
file(INSTALL "${SHINGLED_GENERATED}/dovecot/shingled-report" DESTINATION "${installed}/dovecot/bin"
  PERMISSIONS ${executable})
file(INSTALL "${SHINGLED_GENERATED}/postfix/shingled-report-mail" DESTINATION "${installed}/postfix"
  PERMISSIONS ${executable})
file(INSTALL "${SHINGLED_GENERATED}/postfix/master.cf.example" DESTINATION "${installed}/postfix")
file(INSTALL "${SHINGLED_GENERATED}/systemd/shingled-reports.service" "${SHINGLED_PACKAGING}/systemd/shingled-reports.timer"
  DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
file(INSTALL "${SHINGLED_PACKAGING}/systemd/shingled-reports.tmpfiles" DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/tmpfiles.d"
  RENAME shingled-reports.conf)
