"""Verifies deliveries of Hookwright by a public key: Python 3.8 and later, and the package cryptography."""

import base64
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 300


def verify_by_key(raw_body: bytes, headers, *public_keys: bytes, now=None) -> bool:
    """Whether a delivery is genuine and fresh.

    public_keys: 32 bytes each, of `x` in every entry of the JWKS. Read it again after its max-age, and where none fits.
    """
    values = {name.lower(): value for name, value in headers.items()}
    delivery = values.get("webhook-id", "")
    timestamp = values.get("webhook-timestamp", "")
    if not delivery or not _is_fresh(timestamp, now):
        return False
    signed = f"{delivery}.{timestamp}.".encode() + raw_body
    entries = [entry[4:] for entry in values.get("webhook-signature", "").split(" ") if entry.startswith("v1a,")]
    return any(_fits(key, entry, signed) for key in public_keys for entry in entries)


def _fits(public_key: bytes, entry: str, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(base64.b64decode(entry, validate=True), signed)
        return True
    except (InvalidSignature, ValueError):
        return False


def _is_fresh(timestamp: str, now) -> bool:
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    seconds = time.time() if now is None else now
    return is_number and abs(seconds - int(timestamp)) <= TOLERANCE_SECONDS
