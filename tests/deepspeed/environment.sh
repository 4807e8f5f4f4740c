#!/bin/sh
# Makes a Python environment with a copy of DeepSpeed of its own, which a test may change, and all
# else of the peers': environment.sh PEERS FOLDER. Prints the folder of its packages.
set -eu

peers=$1
folder=$2
packages=$(echo "$peers"/lib/python3*/site-packages)
python=$(basename "$(dirname "$packages")")

"$peers/bin/python" -m venv --without-pip "$folder"
site=$folder/lib/$python/site-packages
for package in "$packages"/*; do
    case ${package##*/} in
    deepspeed | deepspeed-*) cp -r "$package" "$site" ;;
    *) [ -e "$site/${package##*/}" ] || ln -s "$package" "$site" ;;
    esac
done
echo "$site"
