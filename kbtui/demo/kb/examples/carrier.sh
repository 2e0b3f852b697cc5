#!/bin/sh
# A whole carrier in shell: pull, work, report. For seeing the protocol, and for small machines.
#
#   YARD=http://127.0.0.1:7411 LANE=mail ./carrier.sh ./handle-one.sh
#
# The handler gets the body on standard input and LOAD_ID in its environment. Exit 0 is done, exit 65
# is a fatal failure (the siding at once), anything else is a failure that the yard will try again.

set -eu

: "${YARD:=http://127.0.0.1:7411}" "${LANE:?which lane?}"
handler=${1:?usage: carrier.sh HANDLER}
auth=${HOPBARROW_KEY:+Authorization: Bearer $HOPBARROW_KEY}

call() {
    curl -sS -m 40 -H 'Content-Type: application/json' ${auth:+-H "$auth"} -X POST "$YARD$1" -d "$2"
}

beat() { # renew a lease until killed
    while sleep 20; do
        call "/v1/leases/$1/renew" '{}' >/dev/null || true
    done
}

stopping=
trap 'stopping=yes' TERM INT

while [ -z "$stopping" ]; do
    answer=$(call "/v1/lanes/$LANE/pull" '{"slots": 1, "wait": 30}') || { sleep 1; continue; }
    lease=$(printf '%s' "$answer" | jq -r '.loads[0].lease // empty')
    [ -n "$lease" ] || continue

    LOAD_ID=$(printf '%s' "$answer" | jq -r '.loads[0].id')
    export LOAD_ID
    beat "$lease" &
    heart=$!

    code=0
    printf '%s' "$answer" | jq -r '.loads[0].body' | "$handler" || code=$?
    kill "$heart" 2>/dev/null || true

    case $code in
        0)  call "/v1/leases/$lease/done" '{}' ;;
        65) call "/v1/leases/$lease/fail" "{\"reason\": \"exit 65\", \"fatal\": true}" ;;
        *)  call "/v1/leases/$lease/fail" "{\"reason\": \"exit $code\"}" ;;
    esac >/dev/null || echo "report for $LOAD_ID was not answered; the lease will expire" >&2
done
