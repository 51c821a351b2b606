import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { toNumber } from './address-edges.js';
import { listen } from './loopback.js';

/** The answer for a name; null: there is never one. */
type DnsAnswer = {
  /** RFC 1035 §4.1.1: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  code?: number;
  /** The addresses of the family that was asked for. */
  addresses?: readonly string[];
  ttl?: number;
  /** Names that the first one leads to, one after the other; the addresses belong to the last one. */
  aliases?: readonly string[];
  /** Too long for UDP: to be asked again over TCP. */
  truncated?: boolean;
} | null;

/** @param type 1 for A, 28 for AAAA */
export type DnsAnswers = (name: string, type: number) => DnsAnswer;

export interface FakeDns extends AsyncDisposable {
  /** The server's address, in the form of `createNameResolver`. */
  server: string;
  /** `A example.com`, in the order of asking. */
  questions: string[];
  answerWith(answers: DnsAnswers): void;
  close(): Promise<void>;
}

/** A DNS server on loopback, over UDP and TCP. */
export async function startFakeDns(first: DnsAnswers = () => ({ code: 3 })): Promise<FakeDns> {
  let answers = first;
  const reply = (query: Buffer, overTcp: boolean): Buffer | null => {
    const { name, type, end } = readQuestion(query);
    dns.questions.push(`${type === 1 ? 'A' : 'AAAA'} ${name}`);
    const said = answers(name, type);
    const isTruncated = said?.truncated === true && !overTcp;
    return said && write(query, end, type, isTruncated ? { truncated: true } : { ...said, truncated: false });
  };
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    const said = reply(query, false);
    if (said !== null) {
      udp.send(said, from.port, from.address);
    }
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    let unread = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE(0)) {
        const length = unread.readUInt16BE(0);
        const said = reply(unread.subarray(2, 2 + length), true);
        unread = unread.subarray(2 + length);
        if (said !== null) {
          socket.write(Buffer.concat([numbers([said.length, 2]), said]));
        }
      }
    });
  });
  const port = await listen(tcp);
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject).bind(port, '127.0.0.1', resolve);
  });
  const dns: FakeDns = {
    server: `127.0.0.1:${port}`,
    questions: [],
    answerWith(next) {
      answers = next;
    },
    async close() {
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
    },
    [Symbol.asyncDispose]: () => dns.close(),
  };
  return dns;
}

/** Answers with the addresses of the asked family. */
export function has(addresses: readonly string[], more: Omit<NonNullable<DnsAnswer>, 'addresses'> = {}): DnsAnswers {
  return (_name, type) => ({
    ...more,
    addresses: addresses.filter((address) => address.includes(':') === (type === 28)),
  });
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035 §4.1. */
function write(
  query: Buffer,
  end: number,
  type: number,
  { code = 0, addresses = [], ttl = 60, aliases = [], truncated = false }: NonNullable<DnsAnswer>,
): Buffer {
  const asked = query.subarray(12, end - 4);
  const owners = [asked, ...aliases.map(nameBytes)];
  const records = [
    ...aliases.map((_, i) => record(owners[i]!, CNAME, ttl, owners[i + 1]!)),
    ...addresses.map((address) => record(owners.at(-1)!, type, ttl, addressBytes(address))),
  ];
  const flags = 0x8180 | (truncated ? 0x0200 : 0) | code;
  const head = numbers([flags, 2], [1, 2], [records.length, 2], [0, 4]);
  return Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), ...records]);
}

const CNAME = 5;
const INTERNET = 1;

function record(owner: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  return Buffer.concat([owner, numbers([type, 2], [INTERNET, 2], [ttl, 4], [data.length, 2]), data]);
}

/** Numbers, each in so many bytes. */
const numbers = (...all: [number: number | bigint, bytes: number][]): Buffer =>
  Buffer.from(all.map(([number, bytes]) => number.toString(16).padStart(2 * bytes, '0')).join(''), 'hex');

const nameBytes = (name: string): Buffer =>
  Buffer.from([...name.split('.'), ''].map((label) => String.fromCharCode(label.length) + label).join(''), 'latin1');

const addressBytes = (address: string): Buffer => numbers([toNumber(address), address.includes(':') ? 16 : 4]);
