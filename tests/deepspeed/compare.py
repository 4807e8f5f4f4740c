#!/usr/bin/env python3
"""Compares DeepSpeed's own builders with what `dsbuild show OP --resolved` says, method by method.

    compare.py DSBUILD PYTHON ROOT ACCELERATOR...

PYTHON is the one that has torch (and, when ROOT is an installed package, DeepSpeed). What differs must be
explained by differences.json beside this file; a difference that nothing there explains fails, and so does
an explanation that explains nothing, where all accelerators are compared.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = ("sources", "include_paths", "cxx_args", "nvcc_args", "extra_ldflags")
EVERY = ("cpu", "cuda", "rocm", "xpu", "npu", "hpu", "mlu", "sdaa", "supa", "klxpu", "mps")


class Rules:
    """differences.json: what may differ, and why."""

    def __init__(self):
        with open(os.path.join(HERE, "differences.json"), encoding="utf-8") as file:
            self.rules = json.load(file)["rules"]
        self.used = set()

    def explain(self, facts):
        """The reason for a difference with these facts, or None."""
        for at, rule in enumerate(self.rules):
            wanted = {key: value for key, value in rule.items() if key != "why"}
            if all(key in facts and re.fullmatch(value, facts[key]) for key, value in wanted.items()):
                self.used.add(at)
                return rule["why"]
        return None

    def unused(self):
        return [rule for at, rule in enumerate(self.rules) if at not in self.used]


def words_of(values):
    """Words, each once; those that are two on our command line and one on theirs are one here."""
    words = []
    values = list(values or [])
    while values:
        word = values.pop(0)
        if word == "-gencode" and values:
            word = f"-gencode={values.pop(0)}"
        elif word in ("-isystem", "-Xcompiler") and values:
            word = f"{word} {values.pop(0)}"
        if word.startswith(("csrc/", "deepspeed/", "../")):  # an installed package calls itself ".."
            word = re.sub(r"^\.\./", "deepspeed/", word).rstrip("/")
        words.append(word)
    return set(words)


def compare(theirs, ours, facts, rules):
    """Tells what differs and isn't explained."""
    problems = []

    def differs(method, side, word):
        reason = rules.explain({**facts, "method": method, "side": side, "word": word})
        if reason is None:
            problems.append(f"{method}: only {side}: {word}")

    for method in ("absolute_name", "is_compatible"):
        if str(theirs[method]) != str(ours[method]):
            differs(method, "theirs", f"{theirs[method]} and not {ours[method]}")
    if not ours["sources"] and not theirs["sources"]:
        return problems  # nothing is built: there is nothing that the other methods are asked for
    planned = bool(ours["cxx_args"] or ours["nvcc_args"])  # else there are no commands to read flags from
    for method in LISTS if planned else LISTS[:2]:
        value = theirs.get(method)
        if isinstance(value, dict):  # it raised
            differs(method, "theirs", value["error"])
            continue
        their_words, our_words = words_of(value), words_of(ours[method])
        for word in sorted(their_words - our_words):
            differs(method, "theirs", word)
        for word in sorted(our_words - their_words):
            differs(method, "ours", word)
    return problems


def run(argv):
    child = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if child.returncode not in (0, 3, 4):
        sys.exit(f"{' '.join(argv)}: exit code {child.returncode}\n{child.stderr}")
    return json.loads(child.stdout)


def main():
    dsbuild, python, root, accelerators = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    rules = Rules()
    failed = compared = 0
    for accelerator in accelerators:
        theirs = run([python, os.path.join(HERE, "builders.py"), root, accelerator])
        for name, builder in theirs["ops"].items():
            ours = run([dsbuild, "show", name, "--resolved", "--format", "json", "--source", root,
                        "--accelerators", accelerator])["builders"]
            facts = {"accelerator": accelerator, "op": name}
            problems = compare(builder, ours[0], facts, rules) if ours else ["there is no answer"]
            compared += 1
            for problem in problems:
                failed += 1
                print(f"{accelerator} {name}: {problem}")
    if set(EVERY) <= set(accelerators):
        for rule in rules.unused():
            failed += 1
            print(f"explains nothing: {json.dumps(rule)}")
    print(f"{compared} builders compared, {failed} unexplained")
    sys.exit(1 if failed or not compared else 0)


if __name__ == "__main__":
    main()
