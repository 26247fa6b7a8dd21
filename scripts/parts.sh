#!/usr/bin/env bash
# Install what some tests need beside Python: Chromium, PostgreSQL, OpenSSL, and Node for axe-core.
# Only root with apt-get may; others are told what is missing, and pytest names the tests that it skipped.
# With CI=true, a missing part is an error.
set -uo pipefail
cd "$(dirname "$0")/.."

missing() {
    command -v chromium >/dev/null || echo chromium
    [ -n "${DOXEVAL_TEST_POSTGRESQL:-}" ] || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
        || command -v initdb >/dev/null || echo postgresql
    command -v npm >/dev/null || echo "nodejs npm"
    command -v openssl >/dev/null || echo openssl
}

packages=$(missing | tr '\n' ' ')
if [ -n "$packages" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    log=$(mktemp)
    # shellcheck disable=SC2086
    { apt-get update --quiet && DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet \
        --no-install-recommends $packages; } >"$log" 2>&1 \
        || tail -n 5 "$log" >&2
    rm -f "$log"
fi
packages=$(missing | tr '\n' ' ')
if [ -n "$packages" ]; then
    echo "not installed, so some tests are skipped: $packages" >&2
fi
axe=web/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ] && command -v npm >/dev/null; then
    make --silent web/node_modules/installed >/dev/null 2>&1 || true
fi
if [ ! -f "$axe" ]; then
    echo "not installed, so some tests are skipped: axe-core (make web)" >&2
fi
if [ "${CI:-}" = true ] && { [ -n "$packages" ] || [ ! -f "$axe" ]; }; then
    exit 1
fi
