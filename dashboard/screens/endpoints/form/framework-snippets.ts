import type { Snippet } from './snippets.js';

/** Without a library, for all frameworks: those of Node give headers in an object, with names in small letters. */
const IS_GENUINE = `const secret = process.env.WEBHOOK_SECRET;

function isGenuine(rawBody, headers) {
  const mac = createHmac('sha256', secret).update(rawBody).digest('hex');
  const expected = Buffer.from(\`sha256=\${mac}\`);
  const given = Buffer.from(String(headers['x-service-signature']));
  const age = Math.abs(Date.now() / 1000 - Number(headers['x-service-timestamp']));
  return given.length === expected.length && timingSafeEqual(given, expected) && age <= 300;
}
`;
const CRYPTO = "import { createHmac, timingSafeEqual } from 'node:crypto';\n";

const express = (verify: string) => `const app = express();

// express.raw for this route, before any express.json(): the signature covers the exact bytes.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
${verify}
});

app.listen(process.env.PORT ?? 8080);
`;

const fastify = (verify: string) => `const app = Fastify();

// A scope of its own, whose bodies are not parsed: the signature covers the exact bytes.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhooks', async (request, reply) => {
${verify}
  });
});

await app.listen({ port: Number(process.env.PORT ?? 8080) });
`;

/** Receivers in frameworks of Node, which parse JSON before anybody can verify it, unless they are asked not to. */
export const FRAMEWORK_SNIPPETS: readonly Snippet[] = [
  {
    language: 'Express',
    library: `// npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
${express(`  try {
    const event = webhook.verify(request.body, request.headers);
    console.log(event); // answer first, and work on it later
    response.sendStatus(204);
  } catch {
    response.sendStatus(401);
  }`)}`,
    plain: `// npm install express
${CRYPTO}import express from 'express';

${IS_GENUINE}
${express(`  if (!isGenuine(request.body, request.headers)) {
    return response.sendStatus(401);
  }
  const event = JSON.parse(request.body);
  console.log(event); // answer first, and work on it later
  response.sendStatus(204);`)}`,
  },
  {
    language: 'Fastify',
    library: `// npm install fastify standardwebhooks
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
${fastify(`    try {
      const event = webhook.verify(request.body, request.headers);
      console.log(event); // answer first, and work on it later
      return reply.code(204).send();
    } catch {
      return reply.code(401).send();
    }`)}`,
    plain: `// npm install fastify
${CRYPTO}import Fastify from 'fastify';

${IS_GENUINE}
${fastify(`    if (!isGenuine(request.body, request.headers)) {
      return reply.code(401).send();
    }
    const event = JSON.parse(request.body);
    console.log(event); // answer first, and work on it later
    return reply.code(204).send();`)}`,
  },
  {
    language: 'Next.js',
    library: `// app/webhooks/route.js, npm install standardwebhooks
import { Webhook } from 'standardwebhooks';

export async function POST(request) {
  // The exact bytes, which the signature covers: not request.json().
  const rawBody = Buffer.from(await request.arrayBuffer());
  try {
    const webhook = new Webhook(process.env.WEBHOOK_SECRET);
    const event = webhook.verify(rawBody, Object.fromEntries(request.headers));
    console.log(event); // answer first, and work on it later
    return new Response(null, { status: 204 });
  } catch {
    return new Response(null, { status: 401 });
  }
}
`,
    plain: `// app/webhooks/route.js
${CRYPTO}
${IS_GENUINE}
export async function POST(request) {
  // The exact bytes, which the signature covers: not request.json().
  const rawBody = Buffer.from(await request.arrayBuffer());
  if (!isGenuine(rawBody, Object.fromEntries(request.headers))) {
    return new Response(null, { status: 401 });
  }
  const event = JSON.parse(rawBody);
  console.log(event); // answer first, and work on it later
  return new Response(null, { status: 204 });
}
`,
  },
];
