#!/bin/sh
# Runs Millrace with the Node, the data folder and the settings of the package.
export MILLRACE_DATA_DIR="${MILLRACE_DATA_DIR:-/var/lib/millrace}"
if [ -z "${MILLRACE_CONFIG:-}" ] && [ -r /etc/millrace/millrace.env ]; then
  export MILLRACE_CONFIG=/etc/millrace/millrace.env
fi
exec /usr/lib/millrace/bin/node /usr/lib/millrace/bin/millrace.js "$@"
