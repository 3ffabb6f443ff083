#!/usr/bin/env bash
# Builds the container image and the Debian package and uses them as an owner would: npm run test:image.
# Needs Debian 12, root, and the registries of Debian and npm. No container engine: buildah isolates with chroot.
# Settings: IMAGE_TEST_FOLDER (default: a new folder below /tmp, removed at the end) keeps the base image for later.
# Without layers, because the storage driver vfs copies all files for each: 30 GB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

say() { printf '== %s\n' "$*" >&2; }
fail() { printf 'test:image FAILED: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail 'expected root, because buildah and mmdebstrap create files of other users'

work=${IMAGE_TEST_FOLDER:-}
if [ -z "$work" ]; then
  work=$(mktemp -d /tmp/millrace-image-XXXXXX)
  trap 'end; rm -rf "$work"' EXIT
else
  mkdir -p "$work"
  trap end EXIT
fi
pids=()
end() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2> /dev/null || true; done
}

export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot CONTAINERS_STORAGE_CONF="$work/storage.conf"
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$work" "$work" > "$work/storage.conf"

for tool in buildah mmdebstrap kubectl; do
  command -v "$tool" > /dev/null || sh bin/launcher/apt-install.sh buildah mmdebstrap kubernetes-client
done

make_base() {
  buildah inspect --type image localhost/debian:12-slim > /dev/null 2>&1 && return
  say 'base image'
  # The same files that the official slim image leaves out.
  mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' bookworm "$work/base.tar"
  local container
  container=$(buildah from scratch)
  buildah add -q "$container" "$work/base.tar" / > /dev/null
  buildah commit -q "$container" localhost/debian:12-slim > /dev/null
  buildah rm "$container" > /dev/null
  rm "$work/base.tar"
}

# A registry behind a proxy needs the certificates of this machine. They are mounted, and never part of the image.
build_image() {
  say 'image'
  local mounts=() ca=${NODE_EXTRA_CA_CERTS:-}
  if [ -n "$ca" ]; then
    cp -L "$ca" "$work/ca.crt"
    echo 'cafile=/run/host-ca.crt' > "$work/npmrc"
    mounts=(--volume "$work/ca.crt:/run/host-ca.crt:ro" --volume "$work/npmrc:/root/.npmrc:ro")
  fi
  buildah bud --format docker --build-arg BASE=localhost/debian:12-slim \
    --build-arg REVISION="$(git rev-parse HEAD)" "${mounts[@]}" -f deploy/Containerfile -t localhost/millrace . >&2
}

free_port() { "$node" -e 's=require("net").createServer().listen(0,()=>{console.log(s.address().port);s.close()})'; }

# until_ready PORT PATH: waits until the service that runs as $service responds with 200.
until_ready() {
  for _ in $(seq 600); do
    curl -fs "http://127.0.0.1:$1/$2" > "$work/health.json" && return
    kill -0 "$service" 2> /dev/null || fail "the service ended: $(tail -n 5 "$work"/*.log)"
    sleep 1
  done
  fail "not ready within 10 minutes: $(tail -n 5 "$work"/*.log)"
}

make_base
build_image
container=$(buildah from localhost/millrace)
image=$(buildah mount "$container")
node="$image/app/bin/node"

say "size: $(du -sm --exclude=proc --exclude=sys "$image" | cut -f1) MB unpacked. Largest parts in MB:"
(cd "$image" && du -sm app/node_modules/* app/node_modules/@*/* app/.cache app/docs usr/lib/*-linux-gnu usr/bin usr/share \
  usr/lib/*-linux-gnu/lib*.so.* 2> /dev/null | sort -rn | head -n 12) >&2

say 'configuration'
buildah inspect --type image localhost/millrace > "$work/inspect.json"
for wanted in '"User": "10001:10001"' '"StopSignal": "SIGTERM"' '"/data": {}' 'org.opencontainers.image.licenses' \
  '"millrace",' '"ready"'; do
  grep -qF -- "$wanted" "$work/inspect.json" || fail "expected $wanted in the configuration of the image"
done

say 'licences of the Debian packages'
unlicensed=$(chroot "$image" dpkg-query -W -f '${Package}\n' | while read -r name; do
  [ -e "$image/usr/share/doc/$name/copyright" ] || [ -L "$image/usr/share/doc/$name" ] || echo "$name"
done)
[ -z "$unlicensed" ] || fail "expected /usr/share/doc/*/copyright of each package, found none of: $unlicensed"

say 'files that its user may change'
writable=$(chroot --userspec=10001:10001 "$image" find / -xdev ! -type l -writable ! -path '/proc/*' ! -path '/dev/*' \
  ! -path '/data*' ! -path '/tmp*' ! -path '/var/tmp*' ! -path '/run/lock*' ! -path '/sys/*' 2> /dev/null || true)
[ -z "$writable" ] || fail "expected only /data and /tmp to be writable, got: $writable"

data="$work/data"
rm -rf "$data"
install -d -m 0700 -o 10001 -g 10001 "$data"
api=$(free_port)
edge=$(free_port)
health=$(free_port)
settings=(MILLRACE_PORT="$api" MILLRACE_EDGE_PORT="$edge" MILLRACE_HEALTH_PORT="$health" MILLRACE_RTMP_PORT=0
  MILLRACE_SRT_PORT=0 MILLRACE_WHIP_PORT=0 MILLRACE_HOST=127.0.0.1 MILLRACE_ACCOUNT_KEY=image-account-key
  MILLRACE_LIBRARY_KEY=image-library-key MILLRACE_PREVIEWS=off)
# inside DATA_FOLDER COMMAND...: the image with a read-only root, a volume at /data and its own /tmp, as its user.
inside=(unshare --mount bash -c '
  set -e
  mount --rbind "$1" "$1" && mount -o remount,bind,ro "$1"
  for name in dev proc sys; do mount --rbind "/$name" "$1/$name"; done
  mount -t tmpfs -o mode=1777 none "$1/tmp"
  [ -z "$2" ] || mount --bind "$2" "$1/data"
  image=$1; shift 2
  exec chroot --userspec=10001:10001 "$image" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin \
    MILLRACE_DATA_DIR=/data MILLRACE_DATA_VOLUME=required "${@}"' inside "$image")
inside_env() { local folder=$1; shift; "${inside[@]}" "$folder" "${settings[@]}" "$@"; }
# start NAME DATA_FOLDER [ARGUMENT...]: runs the image as its user. Sets $service to its process.
start() {
  local name=$1 folder=$2
  shift 2
  "${inside[@]}" "$folder" "${settings[@]}" millrace serve "$@" > "$work/$name.log" 2>&1 &
  service=$!
  pids+=("$service")
}
stop() { kill -TERM "$service"; wait "$service" || fail "expected exit code 0, got $?: $(tail -n 5 "$work"/*.log)"; }

say 'bad input: one line and exit code 1'
expect_refusal() {
  local line=$1 folder=$2 output
  shift 2
  if output=$("${inside[@]}" "$folder" "${settings[@]}" "$@" millrace serve 2>&1); then fail "expected a refusal: $line"; fi
  [ "$(printf '%s\n' "$output" | wc -l)" = 1 ] || fail "expected one line, got: $output"
  [[ $output == *"$line"* ]] || fail "expected $line, got: $output"
}
install -d -m 0700 "$work/foreign"
expect_refusal 'expected a volume at /data, found none' ''
expect_refusal 'expected a folder that user 10001 can write' "$work/foreign"
mount --bind "$data" "$data" && mount -o remount,ro,bind "$data"
expect_refusal '(a read-only file system)' "$data"
umount "$data"
expect_refusal 'MILLRACE_ACCOUNT_KEY_FILE: expected' "$data" MILLRACE_ACCOUNT_KEY= MILLRACE_ACCOUNT_KEY_FILE=/nowhere
[ -z "$(ls -A "$data" "$work/foreign" | grep -v :)" ] || fail 'expected empty folders after refusals'

say 'first start'
start first "$data"
until_ready "$api" healthz
inside_env "$data" millrace ready || fail 'expected millrace ready to succeed'
inside_env "$data" millrace version --json >&2
grep -qE '"sandbox":"(bubblewrap|landlock)"' "$work/health.json" || fail "expected a sandbox, got $(cat "$work/health.json")"

say 'upload and play'
clip="$work/clip.mp4"
chroot "$image" ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=25:d=3 -f lavfi -i sine=d=3 -c:v libx264 \
  -pix_fmt yuv420p -c:a aac -movflags frag_keyframe+empty_moov -f mp4 - > "$clip"
"$node" "$root/scripts/image-video.js" "$api" "$edge" upload "$clip" > "$work/video"
stop

say 'second start on the same volume'
start second "$data"
until_ready "$api" healthz
"$node" "$root/scripts/image-video.js" "$api" "$edge" play "$(cat "$work/video")"

say 'each role by itself, on the database of the running service'
whole=$service
for role in edge worker api ingest; do
  port=$(free_port)
  settings+=(MILLRACE_HEALTH_PORT="$port" MILLRACE_PORT="$(free_port)" MILLRACE_EDGE_PORT="$(free_port)")
  # Each ingest process needs a data folder of its own, as on another machine.
  [ "$role" != ingest ] || settings+=(MILLRACE_DATA_DIR=/data/ingest MILLRACE_STORAGE=file:/data/objects
    MILLRACE_SECRET_KEY="$(base64 "$data/secret.key")"
    MILLRACE_DATABASE_URL="postgres:///millrace?host=%2Fdata%2Fpostgres-socket&user=millrace")
  start "$role" "$data" --role "$role"
  until_ready "$port" readyz
  stop
done
service=$whole
stop

say 'manifests of Kubernetes'
kubectl kustomize deploy/kubernetes 2> /dev/null | sed '/^#/d' > "$work/manifests.yaml"
for file in deploy/kubernetes/optional/*.yaml; do printf -- '---\n' && cat "$file"; done >> "$work/manifests.yaml"
npm install --prefix "$work/models" --no-audit --no-fund --ignore-scripts kubernetes-models@5.1.0 \
  @kubernetes-models/keda@2.0.0 @kubernetes-models/prometheus-operator@6.0.0 >&2
"$node" scripts/check-manifests.js "$work/manifests.yaml" "$work/models"

say 'Debian package'
sh deploy/debian/build-deb.sh "$image/app" "$work"
deb=$(echo "$work"/millrace_*.deb)
system=$(buildah from localhost/debian:12-slim)
target=$(buildah mount "$system")
cp "$deb" "$target/tmp/millrace.deb"
buildah run --user 0:0 "$system" -- sh -c 'apt-get update -qq &&
  apt-get install -y -qq --no-install-recommends /tmp/millrace.deb' >&2
buildah run --user 0:0 "$system" -- sh -c 'id millrace && stat -c %U:%a /var/lib/millrace && millrace version &&
  test -f /lib/systemd/system/millrace.service && test -f /lib/systemd/system/millrace@.service' >&2
buildah run --user 0:0 "$system" -- sh -c 'apt-get purge -y -qq millrace && ! id millrace 2> /dev/null &&
  test ! -e /usr/lib/millrace && test ! -e /etc/millrace && test ! -e /var/lib/millrace' >&2
buildah rm "$system" "$container" > /dev/null
echo 'test:image: passed'
