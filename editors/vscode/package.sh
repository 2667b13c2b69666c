#!/usr/bin/env bash
# Builds symd.vsix: checks the types, bundles, packages. Needs Node 20 or later and npm's registry.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
cp ../../LICENSE-MIT LICENSE
npm run package
