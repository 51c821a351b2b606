/// <reference types="vite/client" />
import go from '../../../../docs/verify/go/hookwright.go?raw';
import java from '../../../../docs/verify/java/Hookwright.java?raw';
import php from '../../../../docs/verify/php/hookwright.php?raw';
import python from '../../../../docs/verify/python/hookwright.py?raw';
import ruby from '../../../../docs/verify/ruby/hookwright.rb?raw';
import rust from '../../../../docs/verify/rust/src/hookwright.rs?raw';

/** A receiver's code that verifies a delivery, in one language. */
export interface Snippet {
  language: string;
  /** By the library of Standard Webhooks: it reads `webhook-signature`, which covers id, time and body. */
  library: string;
  /** Without a library that knows webhooks: the files of docs/verify, or code that reads `X-Service-Signature`. */
  plain: string;
  /** `plain` can go by either signature. */
  both?: true;
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
    plain: python,
    both: true,
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
    plain: go,
    both: true,
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
    plain: php,
    both: true,
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
    plain: java,
    both: true,
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
    plain: ruby,
    both: true,
  },
  {
    language: 'Rust',
    library: `// cargo add http standardwebhooks
use standardwebhooks::{Webhook, WebhookError};

/// An error unless the delivery is genuine and fresh. \`raw_body\`: the bytes as they came.
pub fn verify(raw_body: &[u8], headers: &http::HeaderMap) -> Result<(), WebhookError> {
    let secret = std::env::var("WEBHOOK_SECRET").expect("WEBHOOK_SECRET is set");
    Webhook::new(&secret)?.verify(raw_body, headers)
}
`,
    plain: rust,
    both: true,
  },
];
