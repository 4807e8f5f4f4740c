#!/bin/sh
# The tables in docs/ and the README are what `dsbuild help TOPIC --format md` prints; scripts/docs writes them.
. "$(dirname "$0")/../support/e2e.sh"

cp -r "$SOURCE/docs" "$SOURCE/README.md" .
DSBUILD="$DSBUILD" sh "$SOURCE/scripts/docs" "$work"
diff -r docs "$SOURCE/docs" || fail 'docs/ is behind the program: run scripts/docs'
diff README.md "$SOURCE/README.md" || fail 'README.md is behind the program: run scripts/docs'
for topic in commands exit-codes reasons settings; do
    grep -rq "<!-- dsbuild help $topic -->" docs README.md || fail "no document holds the table of $topic"
done
