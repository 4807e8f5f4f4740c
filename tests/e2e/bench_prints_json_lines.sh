#!/bin/sh
# scripts/bench --json prints one object a line with every key; an unknown name is told with the known ones.
. "$(dirname "$0")/../support/e2e.sh"
need python3 ninja

code=0
"$SOURCE/scripts/bench" --json --build "$BUILD" plan plan-growth >lines 2>stderr || code=$?
# 1: a goal was missed, which on a busy machine says nothing.
[ $code -le 1 ] || { cat stderr; fail "exit code $code"; }
[ "$(wc -l <lines)" -eq 2 ] || { cat lines; fail 'not one line for each'; }
python3 - lines <<'PYTHON' || fail 'a line is not what it should be'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
keys = {"name", "value", "unit", "against", "ratio", "goal", "met"}
assert all(set(row) == keys for row in rows), rows
assert [row["name"] for row in rows] == ["plan", "plan-growth"]
assert all(row["value"] > 0 and row["ratio"] > 0 and isinstance(row["met"], bool) for row in rows)
PYTHON
expect 2 "$SOURCE/scripts/bench" --build "$BUILD" plam
says stderr 'did you mean plan?'
says stderr 'cpu-adam-one-thread'
