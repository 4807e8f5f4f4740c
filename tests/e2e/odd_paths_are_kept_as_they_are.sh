#!/bin/sh
# K09: spaces, colons, dollars, quotes, hashes and non-ASCII letters in every kind of path; a newline is refused.
. "$(dirname "$0")/../support/e2e.sh"

for part in 'sp ace' 'c:d' 'do$lar' "q'uote" 'h#sh' 'smörgås' '-dash' 'per%cent' 'back\slash' 'star*'; do
    folder="$work/$part"
    make_root "$folder/root" hello
    warm_build "$folder/b"
    expect 0 "$DSBUILD" build --root "$folder/root" --ops hello --build-dir "$folder/b" --out "$folder/o" \
        --depfile "$folder/deps.d" --compile-commands "$folder/cc.json"
    expect 0 "$DSBUILD" bundle verify "$folder/o"
    expect 0 "$DSBUILD" build --root "$folder/root" --ops hello --build-dir "$folder/b" --out "$folder/o"
    says stdout 'everything was up to date'
done
folder="$work/new
line"
make_root "$folder/root" hello
expect 2 "$DSBUILD" build --root "$folder/root" --ops hello
says stderr 'line break'
