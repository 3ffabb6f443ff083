#!/bin/sh
# Installs the programs that Millrace runs, and creates its user and its data folder. Runs in deploy/Containerfile.
set -eu

apt-get update
apt-get install -y --no-install-recommends bubblewrap ca-certificates ffmpeg tini
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/man/* /usr/share/locale/*
# The licences of the packages must be distributed with them.
find /usr/share/doc -type f ! -name copyright -delete
find /usr/share/doc -type d -empty -delete

# Unused display drivers and Intel encoder drivers, and Perl modules. The sandbox needs perl-base.
for folder in /usr/lib/*-linux-gnu; do
  rm -rf "$folder"/dri "$folder"/vdpau "$folder"/mfx "$folder"/libLLVM-*.so* "$folder"/libgallium*.so* \
    "$folder"/libz3.so* "$folder"/libmfxhw64.so* "$folder"/perl "$folder"/libperl.so*
done
rm -rf /usr/share/perl /usr/share/perl5 /usr/share/mime
# Fails the build if a library that ffmpeg links to was removed.
ffmpeg -hide_banner -version > /dev/null
perl -e 'exit 0'

groupadd --gid 10001 millrace
useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin millrace
install -d -m 0700 -o millrace -g millrace /data

ln -s /app/bin/node /usr/local/bin/node
ln -s /app/bin/millrace.js /usr/local/bin/millrace
