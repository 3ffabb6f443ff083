#!/bin/sh
# Installs Debian packages: apt-install.sh PACKAGE...
# A machine that has just started often installs updates, and apt then fails at once because it cannot get a lock.
# DPkg::Lock::Timeout of apt waits for the locks of dpkg, but not for /var/lib/apt/lists/lock and
# /var/cache/apt/archives/lock. So this script repeats a step that found a lock, for at most 10 minutes.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

max_tries=${APT_INSTALL_MAX_TRIES:-200}
pause_sec=${APT_INSTALL_PAUSE_SEC:-3}
tries=0
# A file, because a service that a package starts would keep a pipe open.
errors_file=$(mktemp)
trap 'rm -f "$errors_file"' EXIT

step() {
  while :; do
    code=0
    apt-get "$@" >&2 2> "$errors_file" || code=$?
    errors=$(cat "$errors_file")
    lock=${errors#*E: Could not get lock }
    if [ "$code" = 0 ] || [ "$lock" = "$errors" ]; then
      [ -z "$errors" ] || printf '%s\n' "$errors" >&2
      [ "$code" = 0 ] && return
      exit "$code"
    fi
    # The rest of the first line, such as: /var/lib/dpkg/lock-frontend. It is held by process 321 (unattended-upgr)
    lock=${lock%%
*}
    tries=$((tries + 1))
    if [ "$tries" = 1 ]; then
      printf 'millrace: waiting up to 10 minutes for another program that installs packages: %s\n' "$lock" >&2
    fi
    if [ "$tries" = "$max_tries" ]; then
      printf 'millrace: another program still installs packages. Try again later: %s\n' "$lock" >&2
      exit "$code"
    fi
    sleep "$pause_sec"
  done
}

step update
step install -y --no-install-recommends "$@"
