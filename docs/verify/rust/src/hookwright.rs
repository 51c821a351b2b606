//! Verifies deliveries of Hookwright. Cargo.toml: base64 = "0.22", hmac-sha256 = "1.1"; neither needs another crate.

use base64::{engine::general_purpose::STANDARD, Engine};
use hmac_sha256::HMAC;

const TOLERANCE_SECONDS: u64 = 300;

/// Whether a delivery is genuine and fresh, by the headers of Standard Webhooks. `raw_body`: the bytes as they came.
/// `header` finds a header (axum: `|name| headers.get(name)?.to_str().ok()`). `now`: Unix time in seconds.
/// `secrets`: while you change it, the old one and the new one.
pub fn verify<'a>(
    raw_body: &[u8],
    header: impl Fn(&str) -> Option<&'a str>,
    secrets: &[&str],
    now: u64,
) -> bool {
    let (Some(id), Some(timestamp), Some(signature)) = (
        header("webhook-id"),
        header("webhook-timestamp"),
        header("webhook-signature"),
    ) else {
        return false;
    };
    let signed = [format!("{id}.{timestamp}.").as_bytes(), raw_body].concat();
    is_fresh(timestamp, now)
        && secrets.iter().filter_map(|secret| key(secret)).any(|key| {
            let expected = format!("v1,{}", STANDARD.encode(HMAC::mac(&signed, &key)));
            signature.split(' ').any(|entry| equal(entry, &expected))
        })
}

/// The same by `X-Service-Signature`, which does not cover id and time: prefer `verify`.
pub fn verify_contract<'a>(
    raw_body: &[u8],
    header: impl Fn(&str) -> Option<&'a str>,
    secrets: &[&str],
    now: u64,
) -> bool {
    let (Some(signature), Some(timestamp)) =
        (header("x-service-signature"), header("x-service-timestamp"))
    else {
        return false;
    };
    is_fresh(timestamp, now)
        && secrets.iter().any(|secret| {
            let mac = HMAC::mac(raw_body, secret.as_bytes());
            let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
            equal(signature, &format!("sha256={hex}"))
        })
}

/// None for a damaged secret. One that came with webhooks of another service may be a text without `whsec_`.
fn key(secret: &str) -> Option<Vec<u8>> {
    match secret.strip_prefix("whsec_") {
        Some(encoded) => STANDARD.decode(encoded).ok(),
        None => Some(secret.as_bytes().to_vec()),
    }
}

fn is_fresh(timestamp: &str, now: u64) -> bool {
    let is_number = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    is_number && timestamp.parse::<u64>().is_ok_and(|sent| now.abs_diff(sent) <= TOLERANCE_SECONDS)
}

/// In constant time: looks at every byte, wherever the first difference is.
fn equal(given: &str, expected: &str) -> bool {
    let pairs = given.bytes().zip(expected.bytes());
    given.len() == expected.len() && pairs.fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
