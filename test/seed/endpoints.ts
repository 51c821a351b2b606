import type { NewWebhookSettings } from '../../src/entities/webhook.js';
import { about, accepted, type Behaves, error, exception, ok, since, sometimes, status } from './answers.js';

/** An endpoint of a tenant, and how it has fared. */
export interface SeededEndpoint {
  url: string;
  eventTypes: string[];
  behaves: Behaves;
  createdDaysAgo: number;
  /** Somebody has paused it then. */
  pausedHoursAgo?: number;
  /** The time of its secret's rotation; the previous secret signs for 24 hours afterwards. */
  rotatedHoursAgo?: number;
  /** The receiver has an expired certificate. */
  expired?: true;
  /** Its shape as text. `keyPath` is the name of a field of the payload. */
  settings?: Pick<
    NewWebhookSettings,
    'filter' | 'format' | 'text' | 'by' | 'keyPath' | 'onFailure' | 'retryDelaysSeconds'
  > & {
    shape?: string;
  };
}

const ledgerShape = `subscription {
  event {
    id
    type
    time
    ... on PaymentCaptured { booking: booking_code payment_id total { amount currency } }
    ... on PaymentRefunded { booking: booking_code payment_id refunded { amount currency } reason }
    ... on InvoiceIssued { booking: booking_code invoice_number total { amount currency } lines { text nights } }
  }
}`;

const hotelShape = `subscription {
  event {
    id
    time
    ... on BookingCreated {
      booking_code
      brand
    }
  }
}`;

interface SeededTenant {
  name: string;
  eventsPerDay: number;
  endpoints: SeededEndpoint[];
}

/** It does not know one brand any more, and is about to mend another. */
const mending = since(2.1, about('"Alpenruh"', status(503, 30), accepted(60)), accepted(60));
const hotel = since(6, about('"Isla"', status(422, 45), mending), accepted(60));

export const tenants: readonly SeededTenant[] = [
  {
    name: 'Bluewater Travel',
    eventsPerDay: 420,
    endpoints: [
      {
        url: 'https://hooks.bluewater-travel.example.com/platform',
        eventTypes: ['*'],
        behaves: sometimes(0.002, status(502, 40), ok(48)),
        createdDaysAgo: 412,
      },
      {
        url: 'https://crm.bluewater-travel.example.com/webhooks/bookings',
        eventTypes: ['booking.created', 'booking.canceled', 'guest.checked_in', 'guest.checked_out'],
        behaves: sometimes(0.03, exception(210), ok(130, 'gunicorn')),
        createdDaysAgo: 388,
      },
      {
        url: 'https://api.ledgerly.example.com/v2/inbound/8f31c2',
        eventTypes: ['payment.captured', 'payment.refunded', 'invoice.issued'],
        behaves: sometimes(0.01, error('TIMEOUT', 15_000), ok(2_400, 'Kestrel')),
        createdDaysAgo: 340,
        settings: { shape: ledgerShape },
      },
      {
        url: 'https://tickets.citytickets.example.com/hooks/bluewater',
        eventTypes: ['booking.created', 'booking.canceled', 'voucher.emitted'],
        behaves: since(6.4, error('TLS_CERTIFICATE_EXPIRED', 38), ok(95)),
        createdDaysAgo: 205,
        expired: true,
      },
      {
        url: 'https://events.loyalty.example.com/ingest/bluewater',
        eventTypes: ['payment.captured', 'guest.checked_out', 'review.submitted'],
        behaves: since(1.2, status(503, 22, { 'retry-after': '9000' }), accepted(70)),
        createdDaysAgo: 160,
      },
      {
        url: 'https://staging.bluewater-travel.example.com/platform',
        eventTypes: ['*'],
        behaves: sometimes(0.06, exception(300), ok(180)),
        createdDaysAgo: 97,
        pausedHoursAgo: 27,
      },
      {
        url: 'https://in.mailroom.example.com/t/bluewater/confirmations',
        eventTypes: ['booking.created', 'booking.canceled', 'voucher.emitted', 'payment.refunded'],
        behaves: accepted(34),
        createdDaysAgo: 140,
        rotatedHoursAgo: 7,
      },
      {
        url: 'https://www.oldpartner.example.com/callback.php',
        eventTypes: ['booking.created'],
        behaves: since(58, status(410, 120), ok(420, 'Apache/2.4.62')),
        createdDaysAgo: 511,
      },
      {
        url: 'https://collect.analytics.example.com/v1/bluewater',
        eventTypes: ['*'],
        behaves: sometimes(0.05, sometimes(0.5, status(504, 9_800), error('CONNECTION_RESET', 640)), ok(260)),
        createdDaysAgo: 120,
      },
      {
        url: 'https://hooks.slack-bridge.example.com/T02BW/B88/k3v9',
        eventTypes: ['review.submitted', 'payment.refunded', 'booking.canceled'],
        behaves: sometimes(0.12, status(429, 18, { 'retry-after': '30' }), ok(88, 'envoy')),
        createdDaysAgo: 61,
        settings: { format: 'SLACK', text: '{{@type}} for {{booking_code}}\n{{stars}} {{text}} {{reason}}' },
      },
      {
        url: 'https://dispatch.fastcab.example.com/stay-events',
        eventTypes: ['guest.checked_in', 'guest.checked_out'],
        behaves: ok(64),
        createdDaysAgo: 44,
        settings: {
          filter: {
            any: [
              { field: { path: '@type', op: 'EQ', value: 'guest.checked_out' } },
              {
                all: [
                  { field: { path: 'keyless', op: 'NE', value: true } },
                  { field: { path: 'guest.language', op: 'IN', value: ['de', 'en'] } },
                ],
              },
            ],
          },
        },
      },
      {
        url: 'https://stock.warehouse.example.com/hooks?tenant=bluewater&mode=push',
        eventTypes: ['guest.checked_out', 'rate_plan.updated'],
        behaves: since(0.4, error('CONNECT_FAILED', 6), ok(150)),
        createdDaysAgo: 30,
      },
      {
        url: 'https://dev.bluewater-travel.example.com/tunnel/mk',
        eventTypes: ['loyalty.points_earned'],
        behaves: ok(90),
        createdDaysAgo: 0.2,
      },
      {
        url: 'https://pms.bluewater-travel.example.com/reservations',
        eventTypes: ['booking.created'],
        behaves: hotel,
        createdDaysAgo: 18,
        settings: {
          filter: { field: { path: 'brand', op: 'NE', value: 'Bluewater Select' } },
          shape: hotelShape,
          by: 'KEY',
          keyPath: 'brand',
          onFailure: 'BLOCK',
          retryDelaysSeconds: [300, 900, 1_800, 3_600, 7_200],
        },
      },
    ],
  },
  {
    name: 'Northwind Tours',
    eventsPerDay: 130,
    endpoints: [
      {
        url: 'https://api.northwind-tours.example.com/hooks',
        eventTypes: ['*'],
        behaves: ok(75),
        createdDaysAgo: 233,
      },
      {
        url: 'https://erp.northwind-tours.example.com/in/payments',
        eventTypes: ['payment.captured', 'payment.refunded'],
        behaves: sometimes(0.08, status(500, 320), ok(540, 'Microsoft-IIS/10.0')),
        createdDaysAgo: 210,
      },
    ],
  },
  {
    name: 'Kestrel Coaches',
    eventsPerDay: 60,
    endpoints: [
      {
        url: 'https://www.kestrel-coaches.example.com/wp-json/hooks/v1',
        eventTypes: ['booking.created', 'booking.canceled'],
        behaves: sometimes(0.02, status(404, 200), ok(900, 'LiteSpeed')),
        createdDaysAgo: 75,
      },
    ],
  },
];
