<?php
// Verifies deliveries of Hookwright by a public key: PHP 8.0 and later, with its extension sodium.

require_once __DIR__ . '/hookwright.php';

/**
 * Whether a delivery is genuine and fresh, by a key pair of the service.
 *
 * @param string[] $publicKeys 32 bytes each, of `x` in every entry of the JWKS. Read it again after its max-age, and
 *     where none fits.
 */
function hookwright_verify_by_key(string $rawBody, array $headers, array $publicKeys, ?int $now = null): bool
{
    $headers = hookwright_headers($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !hookwright_is_fresh($timestamp, $now)) {
        return false;
    }
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $entry) {
        $signature = str_starts_with($entry, 'v1a,') ? base64_decode(substr($entry, 4), true) : false;
        if ($signature === false || strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            continue;
        }
        foreach ($publicKeys as $key) {
            if (sodium_crypto_sign_verify_detached($signature, "$id.$timestamp.$rawBody", $key)) {
                return true;
            }
        }
    }
    return false;
}
