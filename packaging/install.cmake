# Part of `cmake --install`: the configuration and the systemd unit, whose paths follow from the prefix.
#   SHINGLED_PACKAGING   this folder
#   SHINGLED_SYSCONFDIR  CMAKE_INSTALL_SYSCONFDIR, absolute or below the prefix
#   SHINGLED_GENERATED   where the unit is made
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
