#!/bin/sh
# What report prints and records fits manifests/schema/report.v1.json, which describes every key of it.
. "$(dirname "$0")/../support/e2e.sh"
need python3

python3 -c 'import jsonschema' 2>/dev/null || skip 'python3 has no jsonschema (python3-jsonschema)'
cat >check.py <<'CHECK'
import json, sys, jsonschema

schema = json.load(open(sys.argv[1]))


def forbid_unknown(part):
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            part.setdefault("additionalProperties", False)
        for value in part.values():
            forbid_unknown(value)
    elif isinstance(part, list):
        for value in part:
            forbid_unknown(value)


jsonschema.Draft7Validator.check_schema(schema)
forbid_unknown(schema)
bad = 0
for name in sys.argv[2:]:
    for error in jsonschema.Draft7Validator(schema).iter_errors(json.load(open(name))):
        print(f"{name}: /{'/'.join(map(str, error.path))}: {error.message[:200]}")
        bad = 1
sys.exit(bad)
CHECK
expect 0 "$DSBUILD" report --format json
cp stdout report.json
expect 0 "$DSBUILD" report --devices --format json
cp stdout devices.json
expect 0 "$DSBUILD" report --record recorded.json
expect 0 "$DSBUILD" report --record full.json --full
expect 0 "$DSBUILD" report --for recorded.json --format json
cp stdout replayed.json
mkdir empty
expect 0 "$DSBUILD" report --sysroot empty --devices --format json
cp stdout empty.json
python3 check.py "$SOURCE/manifests/schema/report.v1.json" report.json devices.json recorded.json full.json \
    replayed.json empty.json >&2 || fail 'a report does not fit its schema'

# The check can fail.
sed 's/"schema": 1/"schema": 1, "unheard": 2/' report.json >odd.json
python3 check.py "$SOURCE/manifests/schema/report.v1.json" odd.json >/dev/null && fail 'an unknown key was not noticed'
true
