import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../bench/histogram.js';
import { type HttpRequest, headerOf, readRequest } from '../../bench/http-request.js';
import { BODY_BYTES, emittedAt, nowMicroseconds, payloadAt } from '../../bench/payload.js';
import { Receipts } from '../../bench/receipts.js';

const secret = 'whsec_secret';
const sign = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function requestText(deliveryId: number, body: string, signature = sign(body)): string {
  const head = [
    'POST /throughput/0 HTTP/1.1',
    'host: 127.0.0.1',
    `X-Service-Delivery: ${deliveryId}`,
    `X-Service-Signature: ${signature}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

const read = (text: string): HttpRequest => readRequest(Buffer.from(text))!;

describe('reading requests', () => {
  const text = requestText(7, '{"a":"ü"}');

  test('gives path, headers in any case, and body', () => {
    const request = read(text);
    expect(request).toMatchObject({ path: '/throughput/0', end: Buffer.byteLength(text) });
    expect(request.body.toString()).toBe('{"a":"ü"}');
    expect(headerOf(request.head, 'x-service-delivery')).toBe('7');
    expect(headerOf(request.head, 'x-service-event')).toBeUndefined();
  });

  test('waits for the rest, wherever the request was cut', () => {
    const bytes = Buffer.from(text);
    const cut = Array.from(bytes, (_, length) => readRequest(bytes.subarray(0, length)));
    expect(cut.every((request) => request === null)).toBe(true);
  });

  test('goes on where the last one ended', () => {
    const bytes = Buffer.from(text + requestText(8, '{}'));
    const second = readRequest(bytes, readRequest(bytes)!.end)!;
    expect([headerOf(second.head, 'x-service-delivery'), second.end]).toEqual(['8', bytes.length]);
  });

  test.each([
    ['no length', 'POST /a HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['too long a body', 'POST /a HTTP/1.1\r\ncontent-length: 1048577\r\n\r\n'],
    ['an endless head', `POST /a HTTP/1.1\r\n${'x'.repeat(20_000)}`],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('refuses %s', (_, refused) => {
    expect(() => read(refused)).toThrow();
  });
});

describe('the payload', () => {
  test('has the size that is promised, and carries its time', () => {
    const at = Math.round(nowMicroseconds());
    const body = Buffer.from(JSON.stringify(payloadAt(at)));
    expect([body.length, emittedAt(body)]).toEqual([BODY_BYTES, at]);
  });

  test('without a time has none', () => {
    expect(emittedAt(Buffer.from(JSON.stringify(payloadAt(0))))).toBeNull();
    expect(emittedAt(Buffer.from('{}'))).toBeNull();
  });
});

describe('receipts', () => {
  const body = JSON.stringify(payloadAt(1_000_000));
  const delivery = (id: number, signature?: string) => read(requestText(id, body, signature));

  test('count each delivery once, with its latency, and its repetitions apart', () => {
    const receipts = new Receipts();
    receipts.record(delivery(1), secret, 1_000_100);
    receipts.record(delivery(2), secret, 1_000_200);
    receipts.record(delivery(1), secret, 1_900_000);
    const report = receipts.report();
    expect(report).toMatchObject({ deliveries: 2, duplicates: 1, lastAt: 1_900_000 });
    expect(Histogram.from(report.latency).summary()).toMatchObject({ count: 2, p50Ms: 0.1, maxMs: 0.2 });
  });

  test('check the signature of a sample', () => {
    const receipts = new Receipts();
    for (let id = 0; id < 129; id++) {
      receipts.record(delivery(id, id < 64 ? undefined : 'sha256=wrong'), secret, 1);
    }
    expect(receipts.report()).toMatchObject({ signaturesChecked: 3, signaturesWrong: 2 });
  });

  test('tell when a number is reached, also when it was already', async () => {
    const receipts = new Receipts();
    const two = receipts.reach(2);
    receipts.record(delivery(1), undefined, 10);
    receipts.record(delivery(1), undefined, 20);
    receipts.record(delivery(2), undefined, 30);
    receipts.record(delivery(3), undefined, 40);
    expect([await two, await receipts.reach(1), await receipts.reach(0)]).toEqual([30, 40, 40]);
  });

  test('know how many requests waited for an answer at once', () => {
    const receipts = new Receipts();
    const note = () => receipts.note(delivery(1), 0);
    const [first, second] = [note(), note()];
    first.answered(200, 1);
    note();
    expect(receipts.report().inFlightMax).toBe(2);
    second.leave();
    expect(receipts.report().inFlightMax).toBe(2);
    note();
    note();
    expect(receipts.report().inFlightMax).toBe(3);
  });

  test('keep a journal of the requests that wait for their answer', () => {
    const receipts = new Receipts();
    const first = receipts.note(delivery(7), 1_006_000);
    const second = receipts.note(delivery(8), 1_006_100);
    expect(receipts.journal[0]).toEqual({
      deliveryId: '7',
      emittedAt: 1_000_000,
      at: 1_006_000,
      status: null,
      answeredAt: null,
    });
    first.answered(429, 1_006_200);
    second.leave();
    expect(receipts.journal.map(({ status, answeredAt }) => [status, answeredAt])).toEqual([
      [429, 1_006_200],
      [null, null],
    ]);
  });
});
