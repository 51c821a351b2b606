"""python3 vectors.py v1.tsv: goes through the public vectors, and says where the result differs."""

import base64
import sys

from hookwright import verify, verify_contract


def decoded(text):
    return base64.b64decode(text).decode()


def takes(scheme, secrets, headers, body, now):
    check = verify if scheme == "standard" else verify_contract
    try:
        return check(body, headers, *secrets, now=now)
    except ValueError:  # a damaged secret
        return False


with open(sys.argv[1], encoding="utf-8") as file:
    rows = [line.rstrip("\n").split("\t") for line in file][1:]
wrong = 0
for name, scheme, secrets, headers, body, now, expected in rows:
    fields = dict(line.split(": ", 1) for line in decoded(headers).split("\n"))
    result = takes(scheme, decoded(secrets).split("\n"), fields, base64.b64decode(body), int(now))
    if result != (expected == "ok"):
        wrong += 1
        print(f"{name}: {result}")
print(f"{len(rows)} vectors, {wrong} wrong")
sys.exit(1 if wrong else 0)
