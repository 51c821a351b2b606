/** A receiver's code that verifies a delivery, in one language. */
export interface Snippet {
  language: string;
  /** By the library of Standard Webhooks: it reads `webhook-signature`, which covers id, time and body. */
  library: string;
  /** With nothing but the language: it reads `X-Service-Signature`, which covers the body. */
  plain: string;
}

/** The languages that receivers are written in most. The secret is in the environment, as WEBHOOK_SECRET. */
export const SNIPPETS: readonly Snippet[] = [
  {
    language: 'TypeScript',
    library: `// npm install standardwebhooks
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET!);

/** @param rawBody the body as it came, before a parser of JSON. @throws unless it is genuine and fresh */
export function verify(rawBody: string | Buffer, headers: IncomingHttpHeaders): unknown {
  return webhook.verify(rawBody, headers as Record<string, string>);
}
`,
    plain: `import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param rawBody the body as it came, before a parser of JSON */
export function isGenuine(
  rawBody: Buffer,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
): boolean {
  const mac = createHmac('sha256', secret).update(rawBody).digest('hex');
  const expected = Buffer.from(\`sha256=\${mac}\`);
  const given = Buffer.from(String(headers['x-service-signature']));
  const age = Math.abs(Date.now() / 1000 - Number(headers['x-service-timestamp']));
  return given.length === expected.length && timingSafeEqual(given, expected) && age <= 300;
}
`,
  },
  {
    language: 'Python',
    library: `# pip install standardwebhooks
import os
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

def verify(raw_body: bytes, headers):
    """Raises WebhookVerificationError unless it is genuine and fresh. raw_body: as it came."""
    return webhook.verify(raw_body, dict(headers))
`,
    plain: `import hashlib
import hmac
import time

def is_genuine(raw_body: bytes, headers, secret: str) -> bool:
    """raw_body: as it came. headers: of your framework, where case does not matter."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    given = headers.get("X-Service-Signature", "")
    age = abs(time.time() - float(headers.get("X-Service-Timestamp", "nan")))
    return hmac.compare_digest(given.encode(), expected.encode()) and age <= 300
`,
  },
  {
    language: 'Go',
    library: `// go get github.com/standard-webhooks/standard-webhooks/libraries
package receiver

import (
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Verify returns an error unless the delivery is genuine and fresh. rawBody is the body as it came.
func Verify(rawBody []byte, header http.Header) error {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		return err
	}
	return webhook.Verify(rawBody, header)
}
`,
    plain: `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// IsGenuine checks a delivery. rawBody is the body as it came.
func IsGenuine(rawBody []byte, header http.Header, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	sent, err := strconv.ParseInt(header.Get("X-Service-Timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	return hmac.Equal([]byte(header.Get("X-Service-Signature")), []byte(expected))
}
`,
  },
  {
    language: 'PHP',
    library: `<?php
// composer require standard-webhooks/standard-webhooks
use StandardWebhooks\\Webhook;

$rawBody = file_get_contents('php://input');
$headers = array_change_key_case(getallheaders(), CASE_LOWER);

// Throws WebhookVerificationException unless it is genuine and fresh.
$event = (new Webhook(getenv('WEBHOOK_SECRET')))->verify($rawBody, $headers);
`,
    plain: `<?php
// $rawBody = file_get_contents('php://input'), $server = $_SERVER
function is_genuine(string $rawBody, array $server, string $secret): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $secret);
    $given = $server['HTTP_X_SERVICE_SIGNATURE'] ?? '';
    $age = abs(time() - (int) ($server['HTTP_X_SERVICE_TIMESTAMP'] ?? 0));
    return hash_equals($expected, $given) && $age <= 300;
}
`,
  },
  {
    language: 'Java',
    library: `// com.standardwebhooks:standardwebhooks
import com.standardwebhooks.Webhook;
import java.net.http.HttpHeaders;

final class Receiver {
  /** Throws WebhookVerificationException unless it is genuine and fresh. rawBody: as it came. */
  static void verify(String rawBody, HttpHeaders headers) throws Exception {
    new Webhook(System.getenv("WEBHOOK_SECRET")).verify(rawBody, headers);
  }
}
`,
    plain: `import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Receiver {
  /** signature and timestamp: the headers X-Service-Signature and X-Service-Timestamp; rawBody: as it came. */
  static boolean isGenuine(byte[] rawBody, String signature, String timestamp, String secret)
      throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(rawBody));
    if (signature == null || timestamp == null || !timestamp.matches("\\\\d{1,12}")) {
      return false;
    }
    long age = Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp));
    return MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8)) && age <= 300;
  }
}
`,
  },
  {
    language: 'Ruby',
    library: `# gem install standardwebhooks
require "standardwebhooks"

WEBHOOK = StandardWebhooks::Webhook.new(ENV.fetch("WEBHOOK_SECRET"))

# Raises WebhookVerificationError unless it is genuine and fresh. env: of Rack.
def verify(raw_body, env)
  names = %w[webhook-id webhook-timestamp webhook-signature]
  WEBHOOK.verify(raw_body, names.to_h { |name| [name, env["HTTP_#{name.upcase.tr("-", "_")}"]] })
end
`,
    plain: `require "openssl"

# raw_body: request.body.read, as it came. env: of Rack.
def genuine?(raw_body, env, secret)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", secret, raw_body)
  given = env["HTTP_X_SERVICE_SIGNATURE"].to_s
  age = (Time.now.to_i - env["HTTP_X_SERVICE_TIMESTAMP"].to_i).abs
  OpenSSL.secure_compare(expected, given) && age <= 300
end
`,
  },
];
