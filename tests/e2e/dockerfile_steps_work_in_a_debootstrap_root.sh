#!/bin/sh
# Every step of packaging/docker/Dockerfile works on a bare Debian 12, and what ships runs there with nothing added.
# No docker: each stage is a root of its own, made by debootstrap once and copied; RUN is a chroot with mounts of its own
# that are gone when it ends. One thing is not done here: compiling the tool once more. The tool stage installs its packages
# and is configured for real; what it would compile is installed from this build. DSBUILD_TEST_WHOLE_DOCKERFILE=1 compiles.
. "$(dirname "$0")/../support/e2e.sh"
need debootstrap unshare chroot tar gcc
[ "$(id -u)" -eq 0 ] || skip 'debootstrap and chroot need root'
unshare -m --propagation private true 2>/dev/null || skip 'no mount namespaces'
grep -qs '^VERSION_ID="12"' /etc/os-release || skip 'this build is for another system than Debian 12'
[ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -gt 6000000 ] || skip 'less than 6 GB free'

# Roots are large: of a test that failed, the logs are left.
fail() {
    rm -rf "$work/base" "$work/stages"
    echo "FAIL: $*" >&2
    exit 1
}

# The mirror that this machine uses, of either format of apt's lists.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | awk '
    $1 == "deb" { for (i = 2; i < NF; ++i) if ($i ~ /^http:.*debian\/?$/ && $(i + 1) == "bookworm") { print $i; exit } }
    $1 == "URIs:" { uri = $2 }
    $1 == "Suites:" && uri ~ /^http:/ { for (i = 2; i <= NF; ++i) if ($i == "bookworm") { print uri; exit } }')
[ -n "$mirror" ] || skip 'apt has no http mirror of bookworm'
debootstrap --variant=minbase bookworm base "$mirror" >debootstrap.log 2>&1 || skip "debootstrap: $(tail -n 1 debootstrap.log)"
echo force-unsafe-io >base/etc/dpkg/dpkg.cfg.d/fast
cp /etc/apt/apt.conf.d/*proxy* base/etc/apt/apt.conf.d/ 2>/dev/null || true
mkdir stages

begin_stage() { # IMAGE [as NAME]
    [ "$1" = debian:12 ] || [ -d "stages/$1" ] || fail "FROM $1: neither debian:12 nor a stage"
    stage=${3:-last}
    root=stages/$stage
    echo "=== FROM $*"
    if [ "$1" = debian:12 ]; then cp -a base "$root"; else cp -a "stages/$1" "$root"; fi
    folder=/
    : >variables
}

copy() { # [--from=STAGE] SOURCE DESTINATION
    case $1 in
    --from=*)
        mkdir -p "$(dirname "$root$3")"
        cp -a "stages/${1#--from=}$2" "$root$3"
        ;;
    *)
        [ "$1" = . ] || fail "COPY $*: only the whole context is known here"
        mkdir -p "$root$2"
        sed 's#^#./#' "$SOURCE/.dockerignore" >ignored
        tar -C "$SOURCE" -X ignored -cf - . | tar -C "$root$2" -xf -
        ;;
    esac
}

# run COMMAND: by /bin/sh, in the stage's folder, with the stage's variables, /proc and /dev.
run() {
    {
        echo "cd $folder"
        cat variables
        echo "$1"
    } >"$root/run.sh"
    # shellcheck disable=SC2016
    unshare -m --propagation private sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && shift &&
        exec chroot "$0" "$@"' "$root" - /usr/bin/env -i \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        ${http_proxy:+http_proxy="$http_proxy"} /bin/sh -e /run.sh >>run.log 2>&1 || {
        tail -n 20 run.log >&2
        fail "RUN $1"
    }
    rm "$root/run.sh"
}

run_step() {
    [ -z "${DSBUILD_TEST_WHOLE_DOCKERFILE:-}" ] || { run "$1" && return; }
    case $1 in
    *'&& ninja -C /build') run "${1%%&& ninja -C /build}" ;;
    'cmake --install /build --prefix /opt/dsbuild --strip')
        cmake --install "$BUILD" --prefix "$work/$root/opt/dsbuild" --strip >>run.log
        ;;
    *) run "$1" ;;
    esac
}

awk '/^[ \t]*(#|$)/ { next } { sub(/[ \t]+$/, "") } /\\$/ { sub(/\\$/, ""); printf "%s", $0; next } { print }' \
    "$SOURCE/packaging/docker/Dockerfile" >steps
while read -r word rest; do
    echo "$word $rest" >>run.log
    # shellcheck disable=SC2086
    case $word in
    FROM) begin_stage $rest ;;
    WORKDIR) folder=$rest && mkdir -p "$root$rest" ;;
    COPY) copy $rest ;;
    ARG | ENV) echo "export $rest" >>variables ;;
    RUN) run_step "$rest" ;;
    *) fail "$word: this test does not know this instruction" ;;
    esac
done <steps

# The bundle stage verified it; it has what its compilers can make, and no word of theirs is missing.
bundle=stages/last/opt/bundle
has_file $bundle/bundle.json $bundle/images/cpu_adam/cpu/x86-64-v4.so $bundle/images/transformer/rocm/gfx942.hsaco
says $bundle/report.txt 'Debian GNU/Linux 12'
# The last stage has no compiler and no Python; a program that links the bundle runs there.
[ ! -e stages/last/usr/bin/gcc ] && [ ! -e stages/last/usr/bin/python3 ] || fail 'the last stage is not bare'
gcc -I$bundle/include "$SOURCE/packaging/make/example/adam.c" -L"$(echo $bundle/lib/*-linux-gnu)" -ldsops \
    "-Wl,-rpath,/opt/bundle/lib/$(gcc -dumpmachine)" -lm -o stages/last/adam
root=stages/last
: >run.log
run "test \$DSOPS_BUNDLE = /opt/bundle && cd / && ./adam"
says run.log '1 -> 0.999'
