/** Code and text that shows how an event of a type is emitted, and what comes of it. */
export interface Snippet {
  name: string;
  text: string;
}

const MUTATION =
  'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount duplicate } }';

/**
 * How a producer emits an event of a type.
 *
 * @param origin the address of the service, such as `https://hooks.example.com`
 * @param sample its payload, as JSON
 */
export function emitSnippets(origin: string, name: string, sample: string): Snippet[] {
  const payload: unknown = JSON.parse(sample);
  const body = JSON.stringify({ query: MUTATION, variables: { input: { eventType: name, payload } } }, null, 2);
  const curl = `curl -sS ${origin}/graphql \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}
`;
  const typescript = `const response = await fetch('${origin}/graphql', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    query: '${MUTATION}',
    variables: {
      input: {
        eventType: '${name}',
        payload: ${JSON.stringify(payload, null, 2).replaceAll('\n', '\n        ')},
        // The same key again makes no second event: take an id of your own.
        idempotencyKey: '${name}:4711',
      },
    },
  }),
});
const { data, errors } = await response.json();
`;
  return [
    { name: 'curl', text: curl },
    { name: 'TypeScript', text: typescript },
  ];
}

/** The request that an endpoint gets: its headers, as far as they are always the same, and its body as it is signed. */
export function receivedRequest(name: string, sample: string): string {
  return `POST /your/path HTTP/1.1
Content-Type: application/json
X-Service-Event: ${name}
X-Service-Delivery: 245838155091974
X-Service-Timestamp: 1795708800
X-Service-Signature: sha256=6f1c…
Webhook-Id: 245838155091974
Webhook-Timestamp: 1795708800
Webhook-Signature: v1,K5oZ…

${JSON.stringify(JSON.parse(sample))}
`;
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
