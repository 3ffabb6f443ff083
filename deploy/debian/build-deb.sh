#!/bin/sh
# Builds a Debian package from a prepared application folder (deploy/container/make-app.sh):
#   sh deploy/debian/build-deb.sh APP_FOLDER OUTPUT_FOLDER
set -eu
app=$(realpath "$1")
output=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$app/package.json")
arch=$(dpkg --print-architecture)

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"
install -d "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/lib" "$tree/lib/systemd/system" "$tree/etc/millrace" \
  "$tree/usr/share/doc/millrace"
cp -a "$app" "$tree/usr/lib/millrace"
cp "$app/LICENSE" "$tree/usr/share/doc/millrace/copyright"
cat "$app/NOTICE" >> "$tree/usr/share/doc/millrace/copyright"
cp "$here"/../systemd/*.service "$tree/lib/systemd/system/"
cp "$here/millrace.env" "$tree/etc/millrace/millrace.env"
cp "$here/millrace.sh" "$tree/usr/bin/millrace"
chmod 0755 "$tree/usr/bin/millrace"
echo /etc/millrace/millrace.env > "$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 0755 "$here/$script" "$tree/DEBIAN/$script"; done
size=$(du -sk --exclude=DEBIAN "$tree" | cut -f1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$size/" "$here/control" > "$tree/DEBIAN/control"
dpkg-deb --root-owner-group -Zxz -z1 --build "$tree" "$output/millrace_${version}_${arch}.deb"
