#!/bin/sh
# scripts/setup as a plain user: 3 and the line for root where a package is missing, silent 0 where all are there.
. "$(dirname "$0")/../support/e2e.sh"

# A copy that everyone may read, and a dpkg-query that knows all packages but those named in ./missing.
cp "$SOURCE/scripts/setup" .
mkdir bin
cat >bin/dpkg-query <<QUERY
#!/bin/sh
for word in "\$@"; do
    case \$word in -*) continue ;; *[!a-z0-9+.-]*) continue ;; esac
    grep -qx "\$word" "$work/missing" && echo "dpkg-query: no packages found matching \$word" >&2 && continue
    grep -qx "\$word" "$work/removed" && echo "config-files \$word" && continue
    echo "installed \$word"
done
! grep -q . "$work/missing"
QUERY
cat >bin/apt-get <<APT
#!/bin/sh
echo "\$@" >>"$work/apt"
APT
chmod 755 bin/* setup "$work"
: >missing
: >removed
: >apt
chmod 666 apt
case $(id -u) in
0) need setpriv && plain() { setpriv --reuid 65534 --regid 65534 --clear-groups env PATH="$work/bin:$PATH" "$@"; } ;;
*) plain() { env PATH="$work/bin:$PATH" "$@"; } ;;
esac

for options in '' '--accelerators' '--tests' '--accelerators --tests'; do
    # shellcheck disable=SC2086
    expect 0 plain ./setup $options
    [ ! -s stdout ] && [ ! -s stderr ] || fail "not silent with '$options' although all is there"
done

echo libelf-dev >missing
echo ninja-build >removed # its configuration is still there, it is not
expect 3 plain ./setup
says stderr 'missing packages: ninja-build libelf-dev'
says stderr 'as root: apt-get install --no-install-recommends ninja-build libelf-dev'
echo python3-numpy >missing
: >removed
expect 0 plain ./setup
expect 3 plain ./setup --tests
says stderr 'apt-get install --no-install-recommends python3-numpy'
[ ! -s apt ] || fail "a plain user's setup called apt-get: $(cat apt)"
expect 2 plain ./setup --acelerators
says stderr "unknown option '--acelerators'"

# As root the same line is what it does.
if [ "$(id -u)" -eq 0 ]; then
    expect 0 env PATH="$work/bin:$PATH" ./setup --tests
    says stderr 'setup: installing python3-numpy'
    says apt '--no-install-recommends python3-numpy'
fi
