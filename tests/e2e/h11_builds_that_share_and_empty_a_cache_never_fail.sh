#!/bin/sh
# H11: builds that share one step cache, while it is emptied again and again, all end well and give the same bundle.
. "$(dirname "$0")/../support/e2e.sh"
need g++ ninja

warm_build warm
for n in 1 2 3; do
    mkdir -p "c$n"
    cp -a warm "c$n/build"
    make_root "c$n/root" one
    make_root "c$n/root" two
done
build() { (cd "$1" && "$DSBUILD" build --root root --ops one,two --build-dir build --out bundle --cache ../steps -j1 >log 2>&1); }
for round in 1 2 3; do
    for n in 1 2 3; do
        rm -rf "c$n/build/obj/one" "c$n/build/obj/two" "c$n/bundle"
        build "c$n" &
        eval "p$n=$!"
    done
    "$DSBUILD" cache clean --all --cache steps >clean.log 2>&1 || { cat clean.log; fail 'cleaning'; }
    for n in 1 2 3; do
        eval "wait \$p$n" || { cat "c$n/log"; fail "build $n in round $round"; }
    done
    diff -r c1/bundle c2/bundle && diff -r c1/bundle c3/bundle || fail "the bundles of round $round differ"
done
[ -z "$(find steps -name '*.tmp')" ] || fail 'something half was left'
