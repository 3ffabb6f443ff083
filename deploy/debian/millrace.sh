#!/bin/sh
# Runs Millrace with the Node of its package.
exec /usr/lib/millrace/bin/node /usr/lib/millrace/bin/millrace.js "$@"
