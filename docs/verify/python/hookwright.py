"""Verifies deliveries of Hookwright with the standard library alone: Python 3.8 and later."""

import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(raw_body: bytes, headers, *secrets: str, now=None) -> bool:
    """Whether a delivery is genuine and fresh, by the headers of Standard Webhooks.

    raw_body: the bytes as they came (Flask: request.get_data(), Django: request.body)
    headers: of your framework
    secrets: whsec_...; while you change it, the old one and the new one
    """
    values = {name.lower(): value for name, value in headers.items()}
    delivery = values.get("webhook-id", "")
    timestamp = values.get("webhook-timestamp", "")
    entries = values.get("webhook-signature", "").split(" ")
    if not delivery or not _is_fresh(timestamp, now):
        return False
    signed = f"{delivery}.{timestamp}.".encode() + raw_body
    macs = [hmac.new(_key(secret), signed, hashlib.sha256).digest() for secret in secrets]
    return _any_equal(entries, ["v1," + base64.b64encode(mac).decode() for mac in macs])


def verify_contract(raw_body: bytes, headers, *secrets: str, now=None) -> bool:
    """The same by X-Service-Signature, which does not cover id and time: prefer verify."""
    values = {name.lower(): value for name, value in headers.items()}
    if not _is_fresh(values.get("x-service-timestamp", ""), now):
        return False
    macs = [hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest() for secret in secrets]
    return _any_equal([values.get("x-service-signature", "")], ["sha256=" + mac for mac in macs])


def _key(secret: str) -> bytes:
    # A secret that came with webhooks of another service may be a text without whsec_.
    if not secret.startswith("whsec_"):
        return secret.encode()
    return base64.b64decode(secret[len("whsec_") :], validate=True)


def _is_fresh(timestamp: str, now) -> bool:
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    seconds = time.time() if now is None else now
    return is_number and abs(seconds - int(timestamp)) <= TOLERANCE_SECONDS


def _any_equal(given, expected) -> bool:
    return any(hmac.compare_digest(a.encode(), b.encode()) for a in given for b in expected)
