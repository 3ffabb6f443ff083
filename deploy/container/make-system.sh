#!/bin/sh
# Installs the programs that Millrace runs, and creates its user and its data folder. Runs in deploy/Containerfile.
set -eu

apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates ffmpeg tini
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/*

# Drivers of screens, which ffmpeg would load to show a picture. Nothing links to them.
rm -rf /usr/lib/*-linux-gnu/dri /usr/lib/*-linux-gnu/libLLVM-*.so* /usr/lib/*-linux-gnu/libgallium*.so* \
  /usr/lib/*-linux-gnu/vdpau

groupadd --gid 10001 millrace
useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin millrace
install -d -m 0700 -o millrace -g millrace /data

ln -s /app/bin/node /usr/local/bin/node
ln -s /app/bin/millrace.js /usr/local/bin/millrace
