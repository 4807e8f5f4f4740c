#!/bin/sh
# Every path and every dsbuild command that ARCHITECTURE.md names is there.
. "$(dirname "$0")/../support/e2e.sh"

count=0
for path in $(grep -o '`[^`]*`' "$SOURCE/ARCHITECTURE.md" | tr -d '`' | grep -E '^(src|ops|manifests|tests|scripts|docs|packaging|cmake)/' | sort -u); do
    [ -e "$SOURCE/$path" ] || fail "ARCHITECTURE.md names $path, which is not there"
    count=$((count + 1))
done
[ $count -ge 20 ] || fail "only $count paths were found"
for command in $(grep -o '`dsbuild [a-z]*' "$SOURCE/ARCHITECTURE.md" | sed 's/`dsbuild //' | sort -u); do
    expect 0 "$DSBUILD" "$command" --help
done
