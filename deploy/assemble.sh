#!/bin/sh
# Puts the built server with what it needs to run into a new folder: deploy/assemble.sh /opt/drawbridge
# Run it in a checkout that was built. The folder is the same one that the Dockerfile puts into its image.
set -eu
target=${1:?name a folder that does not exist yet}
cd "$(dirname "$0")/.."
test ! -e "$target" || { echo "$target exists already" >&2; exit 1; }

# With packages of the workspace copied in, pnpm takes the versions of the lockfile; its older way would look for new ones.
npx --yes pnpm@10.34.9 --filter @drawbridge/server --prod --prefer-offline \
  --config.inject-workspace-packages=true deploy "$target/apps/server"
mkdir -p "$target/apps/web" "$target/apps/daemon/dist" "$target/bin"
cp -R apps/web/dist "$target/apps/web/dist"
cp apps/daemon/dist/daemon.tgz apps/daemon/dist/daemon.json "$target/apps/daemon/dist/"
cp -R apps/daemon/dist/workspace "$target/apps/daemon/dist/workspace"
chmod 0755 "$target/apps/server/bin/drawbridge-server.js"
ln -s ../apps/server/bin/drawbridge-server.js "$target/bin/drawbridge-server"
