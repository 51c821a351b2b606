import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** A value that is wrong at one place: `path` leads to it. Undefined: the place is left empty. */
export interface BadValue {
  path: readonly (string | number)[];
  why: string;
  value: unknown;
  /** The innermost input and its member, as `WebhookInput.url`, that has it; none: an argument has it itself. */
  within?: string;
}

const long = 'x'.repeat(5000);
/** A length that still fits into a body. */
const manyNames = Array.from({ length: 200_000 }, (_, index) => `no.such${index}`);
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const listed = (values: readonly unknown[]): [string, unknown][] =>
  values.map((value) => [JSON.stringify(value).slice(0, 40), value]);

/** Values of the wrong kind for any field. */
const wrongKinds: Record<string, readonly unknown[]> = {
  String: [5, true, { a: 1 }, [['x']]],
  ID: [true, 1.5, { a: 1 }, [['1']]],
  Int: ['5', 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 63, 1e300, true, { a: 1 }, [[1]]],
  Boolean: ['true', 1, { a: 1 }, [[true]]],
  DateTime: [5, true, {}, [], '', 'yesterday', '2026-01-01', '2026-13-01T00:00:00+00:00', '\u0000', '\ud800', long],
  JSONObject: ['x', 5, true, [], [{}]],
};

const badIds = [
  ...['', '0', '-1', '1.5', 'abc', '01', '1\u0000', '\ud800', '9223372036854775808', '9'.repeat(400), '999999'],
  ...["1' or '1'='1", 'wh_', 'wh_01', 'xx_1', -1, 0],
];
const badEventTypes = ['', 'no.such', '\u0000', '\ud800', long, '__proto__', 'constructor', "'; drop table x; --"];
const badUrls = [
  ...['', 'x', long, '\u0000', '\ud800', '//example.com', 'ftp://example.com/', 'http://example.com/'],
  ...[
    'javascript:alert(1)',
    'https://',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://[::1]/',
  ],
  ...['https://a:b@example.com/', 'https://example.com/#a', 'https://example.com:5432/', 'https://intranet/'],
  ...['https://a.local/', 'https://169.254.169.254/', 'https://exa mple.com/', `https://example.com/${long}`],
];
const badPageSizes = [-1, 0, 101, 2 ** 31 - 1, -(2 ** 31)];
const badCursors = [
  ...['', 'x', long, '\u0000', '\ud800', 'aWQ6MA', 'aWQ6LTE', 'aWQ6OTk5OTk5OTk5OTk5OTk5OTk5OQ', 'aWQ6MQ=='],
];

/** Wrong values of the right kind, by the name of the field. */
const wrongValues: Record<string, readonly unknown[]> = {
  id: badIds,
  ids: [['12'], ['wh_1', 'abc'], [long], Array(101).fill('wh_1')],
  webhookId: badIds.filter((id) => id !== '999999'), // a filter by a webhook that was deleted finds what it had
  deliveryId: badIds,
  eventId: badIds.filter((id) => id !== '999999'), // nor is it wrong to ask for an event that is gone
  errorCode: ['', 'timeout', 'HTTP_200', 'HTTP_4XX', 'HTTP_5000', '\u0000', '\ud800', long, 'constructor', '%'],
  payloadContains: ['', 'ab', 'x'.repeat(201), 'abc\u0000', 'abc\ud800', 'without since'],
  tenantId: badIds,
  first: badPageSizes,
  last: badPageSizes,
  after: badCursors,
  before: badCursors,
  event: [...badEventTypes, '*', 'webhook.test'],
  eventType: [...badEventTypes, '*'],
  eventTypes: [
    ...[[], ['no.such'], ['*', 'coupon.applied'], ['coupon.applied', 'coupon.applied'], manyNames],
    ...[Array(101).fill('coupon.applied'), ['\u0000'], ['\ud800'], [long]],
  ],
  expiresInSeconds: [-1, 0, 59, 2 ** 31 - 1],
  idempotencyKey: ['', 'x'.repeat(256), 'ü', '\n', '\u0000', '\ud800'],
  name: ['', '   ', 'x'.repeat(201), 'a\u0000b', 'a\nb', '\ud800', long],
  scopes: [
    ...[[], ['no:such'], [''], ['\u0000'], [long], ['platform:admin'], ['webhooks:read', 'webhooks:read'], manyNames],
  ],
  url: badUrls,
  payload: [
    {},
    { code: 1, discount_type: 'x' },
    { code: 'A', discount_type: null },
    { code: 'A', discount_type: 'B', more: 1 },
    { code: 'A', discount_type: nested(65) },
    { code: 'x'.repeat(300_000), discount_type: 'B' },
    { constructor: 1 },
  ],
  events: [Array(101).fill({ event: 'coupon.applied', payload: { code: 'A', discount_type: 'B' } })],
};

/** Ways of spoiling a value of this type. */
export function* badValues(
  type: GraphQLInputType,
  name: string,
  path: readonly (string | number)[] = [],
  within: readonly GraphQLInputType[] = [],
): Generator<BadValue> {
  const bad = (why: string, value: unknown): BadValue => ({ path, why, value });
  if (isNonNullType(type)) {
    yield bad('null', null);
    yield bad('absent', undefined);
    yield* badValues(type.ofType, name, path, within);
    return;
  }
  for (const [why, value] of listed(wrongValues[name] ?? [])) {
    yield bad(why, value);
  }
  if (isListType(type)) {
    yield bad('a list with null', [null]);
    yield bad('a list with undefined', [undefined]);
    for (const inner of badValues(type.ofType, '', [...path, 0], within)) {
      if (inner.value !== undefined) {
        yield inner;
      }
    }
    return;
  }
  // An input within itself is the same again.
  if (!within.includes(type)) {
    yield* badNamed(type as GraphQLNamedInputType, path, [...within, type]);
  }
}

function* badNamed(
  type: GraphQLNamedInputType,
  path: readonly (string | number)[],
  within: readonly GraphQLInputType[],
): Generator<BadValue> {
  if (isInputObjectType(type)) {
    for (const [why, value] of listed(['x', 5, true, [[]]])) {
      yield { path, why, value };
    }
    for (const unknown of ['secret', '__proto__', 'constructor', 'Id', '']) {
      yield { path: [...path, unknown], why: `the unknown member ${JSON.stringify(unknown)}`, value: 1 };
    }
    for (const field of Object.values(type.getFields())) {
      // The name of a webhook is optional: an empty text removes it.
      const clears = (value: unknown) =>
        type.name.endsWith('WebhookInput') && field.name === 'name' && String(value).trim() === '';
      for (const bad of badValues(field.type, field.name, [...path, field.name], within)) {
        if (!clears(bad.value)) {
          yield { within: `${type.name}.${field.name}`, ...bad };
        }
      }
    }
    return;
  }
  const kinds = isEnumType(type)
    ? ['NOPE', '', 'failed', '\u0000', 5, true, { a: 1 }, ['FAILED', 'x']]
    : (wrongKinds[type.name] ?? []);
  for (const [why, value] of listed(kinds)) {
    yield { path, why, value };
  }
}

/** A copy of a value that is spoilt at its place. */
export function spoil(whole: unknown, { path, value }: Pick<BadValue, 'path' | 'value'>): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    return value;
  }
  const copy = Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  const inner = spoil((whole as Record<string, unknown> | undefined)?.[step], { path: rest, value });
  if (inner === undefined && !Array.isArray(copy)) {
    delete (copy as Record<string, unknown>)[step];
  } else {
    // Not by assignment: `__proto__` is to be a member like any other.
    Object.defineProperty(copy, step, { value: inner, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}
