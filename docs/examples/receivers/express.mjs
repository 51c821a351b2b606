// npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = express();

// express.raw for this route, before any express.json(): the signature covers the exact bytes.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  try {
    const event = webhook.verify(request.body, request.headers);
    console.log(event); // answer first, and work on it later
    response.sendStatus(204);
  } catch {
    response.sendStatus(401);
  }
});

app.listen(process.env.PORT ?? 8080);
