#!/bin/sh
# Every fenced example of the README and of docs/ that is marked as run is run here, in order, in one folder, and must end with 0.
. "$(dirname "$0")/../support/e2e.sh"
need python3 gcc
/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip 'no numpy for /usr/bin/python3'

# ```sh run, ```python run, ```c run: the word after the language marks them.
awk -v dir="$work" '
    /^```(sh|python|c) run$/ { ++n; language = substr($1, 4); inside = 1; file = sprintf("%s/example-%02d.%s", dir, n, language); next }
    /^```/ { inside = 0 }
    inside { print > file }' "$SOURCE/README.md" "$SOURCE"/docs/*.md
[ "$(ls example-* | wc -l)" -ge 5 ] || fail 'the documents have hardly an example that is run'
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$DSBUILD" >bin/dsbuild
chmod +x bin/dsbuild
export PATH="$work/bin:$PATH"
for example in example-*; do
    case $example in
        *.sh) sed 's#scripts/dsbuild#dsbuild#g' "$example" >command.sh && expect 0 sh -e command.sh ;;
        *.python) expect 0 /usr/bin/python3 "$example" ;;
        *.c)
            lib=$(echo "$work"/out/bundle/lib/*)
            expect 0 gcc -std=c11 -pedantic -Wall -Wextra -Werror "$example" -Iout/bundle/include "-L$lib" -ldsops "-Wl,-rpath,$lib" -o example
            expect 0 ./example
            printed=$(sed -n 's|.*printf.*/[*] \(.*\) [*]/$|\1|p' "$example")
            [ "$(cat stdout)" = "$printed" ] || fail "$example prints $(cat stdout), and says $printed"
            ;;
    esac
done
