"""python3 key_pair_vectors.py v2.tsv: goes through the public vectors of key pairs, and says where the result differs."""

import base64
import sys

from hookwright_key_pair import verify_by_key


def decoded(text):
    return base64.b64decode(text).decode()


with open(sys.argv[1], encoding="utf-8") as file:
    rows = [line.rstrip("\n").split("\t") for line in file][1:]
wrong = 0
for name, keys, headers, body, now, expected in rows:
    fields = dict(line.split(": ", 1) for line in decoded(headers).split("\n"))
    public_keys = [base64.b64decode(key) for key in decoded(keys).split("\n")]
    result = verify_by_key(base64.b64decode(body), fields, *public_keys, now=int(now))
    if result != (expected == "ok"):
        wrong += 1
        print(f"{name}: {result}")
print(f"{len(rows)} vectors, {wrong} wrong")
sys.exit(1 if wrong else 0)
