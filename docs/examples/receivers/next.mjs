// app/webhooks/route.js, npm install standardwebhooks
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
