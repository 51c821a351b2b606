// Needs @nestjs/common, @nestjs/core, @nestjs/platform-express, reflect-metadata, rxjs and @hookwright/receiver.
import 'reflect-metadata';
import { memory } from '@hookwright/receiver/dedupe';
import { type NestRequest, type NestResponse, webhook } from '@hookwright/receiver/nest';
import { All, Controller, Injectable, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

@Injectable()
class Bookings {
  created(code: string) {
    console.log(`Booked ${code}`);
  }
}

@Controller('webhooks')
class WebhooksController {
  private readonly receive = webhook({
    secret: process.env['WEBHOOK_SECRET'],
    on: { 'booking.created': async ({ payload }) => this.bookings.created(payload.booking_code) },
    dedupe: memory(), // for one process; postgres(pool) or redis(client) for several
  });

  constructor(private readonly bookings: Bookings) {}

  @All()
  handle(@Req() request: NestRequest, @Res() response: NestResponse) {
    return this.receive(request, response);
  }
}

@Module({ controllers: [WebhooksController], providers: [Bookings] })
class AppModule {}

// rawBody, because the signature covers the bytes of the body. Payloads may be longer than Nest's limit of 100 KB.
const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true, logger: ['error', 'warn'] });
app.useBodyParser('json', { limit: '2mb' });
await app.listen(process.env['PORT'] ?? 4000);
