<?php
// Verifies deliveries of Hookwright with PHP alone: 8.0 and later.

const HOOKWRIGHT_TOLERANCE_SECONDS = 300;

/**
 * Whether a delivery is genuine and fresh, by the headers of Standard Webhooks.
 *
 * @param string $rawBody the bytes as they came: file_get_contents('php://input')
 * @param array $headers getallheaders(), or $_SERVER
 * @param string[] $secrets whsec_…; while you change it, the old one and the new one
 */
function hookwright_verify(string $rawBody, array $headers, array $secrets, ?int $now = null): bool
{
    $headers = hookwright_headers($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !hookwright_is_fresh($timestamp, $now)) {
        return false;
    }
    foreach ($secrets as $secret) {
        // A secret that came with webhooks of another service may be a text without whsec_.
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : $secret;
        if ($key === false) {
            return false;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $entry) {
            if (hash_equals($expected, $entry)) {
                return true;
            }
        }
    }
    return false;
}

/** The same by X-Service-Signature, which does not cover id and time: prefer hookwright_verify. */
function hookwright_verify_contract(string $rawBody, array $headers, array $secrets, ?int $now = null): bool
{
    $headers = hookwright_headers($headers);
    if (!hookwright_is_fresh($headers['x-service-timestamp'] ?? '', $now)) {
        return false;
    }
    foreach ($secrets as $secret) {
        $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
        if (hash_equals($expected, $headers['x-service-signature'] ?? '')) {
            return true;
        }
    }
    return false;
}

/** Names in small letters, with hyphens, and without the HTTP_ of $_SERVER. */
function hookwright_headers(array $headers): array
{
    $values = [];
    foreach ($headers as $name => $value) {
        $values[preg_replace('/^http-/', '', strtr(strtolower($name), '_', '-'))] = $value;
    }
    return $values;
}

function hookwright_is_fresh(string $timestamp, ?int $now): bool
{
    return preg_match('/^[0-9]{1,12}$/D', $timestamp) === 1
        && abs(($now ?? time()) - (int) $timestamp) <= HOOKWRIGHT_TOLERANCE_SECONDS;
}
