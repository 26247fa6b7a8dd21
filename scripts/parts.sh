#!/usr/bin/env bash
# Install what some tests need beside Python: Chromium, Firefox, PostgreSQL, OpenSSL, and Node for axe-core and
# puppeteer-core.
# Only root with apt-get may; others are told what is missing, and pytest names the tests that it skipped.
# With CI=true, a missing part is an error.
set -uo pipefail
cd "$(dirname "$0")/.."

missing() {
    command -v chromium >/dev/null || echo chromium
    command -v firefox-esr >/dev/null || command -v firefox >/dev/null || echo firefox-esr
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
modules() { [ -f web/node_modules/axe-core/axe.min.js ] && [ -d web/node_modules/puppeteer-core ]; }
if ! modules && command -v npm >/dev/null; then
    make --silent web/node_modules/installed >/dev/null 2>&1 || true
fi
if ! modules; then
    echo "not installed, so some tests are skipped: axe-core or puppeteer-core (make web)" >&2
fi
if [ "${CI:-}" = true ] && { [ -n "$packages" ] || ! modules; }; then
    exit 1
fi
