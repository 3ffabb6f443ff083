#!/bin/sh
# Creates the secrets for deploy/compose.cluster.yaml in deploy/secrets. Keeps existing secrets.
set -eu
cd "$(dirname "$0")"
# Only the owner can enter the folder. The files are readable by all users, because they are mounted into the containers.
mkdir -p -m 0700 secrets
cd secrets

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() {
  [ -s "$1" ] || printf '%s\n' "$2" > "$1"
  chmod 0644 "$1"
}

keep database-password "$(random)"
keep database-url "postgres://millrace:$(cat database-password)@postgres:5432/millrace"
keep secret-key "$(head -c 32 /dev/urandom | base64)"
keep account-key "$(random)"
keep library-key "$(random)"
keep s3-password "$(random)"
keep s3-credentials "[default]
aws_access_key_id = millrace
aws_secret_access_key = $(cat s3-password)"
echo "The account key is in $PWD/account-key"
