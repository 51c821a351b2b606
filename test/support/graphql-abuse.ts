/** Requests to /graphql that try to cost more than they should, each a body as it would arrive. */
export interface Abuse {
  name: string;
  body: unknown;
  /** The codes that a refusal may have; every error of the answer must have one of them. */
  codes: readonly string[];
  /** Default: 400. */
  status?: number;
}

const times = (count: number, text: (index: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(between);

/** Documents by what they are, all refused alike. @param more of the body */
const refused = (code: string, documents: Readonly<Record<string, string>>, more: object = {}): Abuse[] =>
  Object.entries(documents).map(([name, query]) => ({ name, body: { query, ...more }, codes: [code] }));
const unreadable = (documents: Readonly<Record<string, string>>) => refused('GRAPHQL_PARSE_FAILED', documents);
const invalid = (documents: Readonly<Record<string, string>>, more?: object) =>
  refused('GRAPHQL_VALIDATION_FAILED', documents, more);
const badVariables = (variables: object, documents: Readonly<Record<string, string>>) =>
  refused('BAD_USER_INPUT', documents, { variables });

const deep = (levels: number, innermost = 'id'): string => {
  const cycle = ['deliveries(first: 1) {', 'edges {', 'node {', 'webhook {'];
  return `{ ${times(levels, (index) => cycle[index % 4]!)} ${innermost} ${'}'.repeat(levels)} }`;
};

/** Each fragment spreads the next one twice: 2^levels copies of the last. */
const bomb = (levels: number, last: string): string =>
  `{ ...F0 } ${times(levels, (index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`)} fragment F${levels} on Query { ${last} }`;

const CURSORS = '{ edges { cursor } }';
const pages = (size: string): string => `webhooks(first: ${size}) { edges { node { deliveries(first: ${size}) {
  edges { node { event { deliveries ${CURSORS} } } } } } } }`;

const emit = 'emitEvent(input: {event: "coupon.applied", payload: {code: "A", discount_type: "B"}}) { duplicate }';

const everything =
  'types { name description fields { name description args { name description type { name } } type { name } } }';

const introspection = (levels: number): string =>
  `{ __schema { types { ${times(levels, () => 'fields { type {')} name ${'} }'.repeat(levels)} } } }`;

/** Many of one thing. */
const floods: Abuse[] = [
  ...unreadable({
    '1,000 aliases of one field': `{ ${times(1000, (n) => `a${n}: viewer { scopes }`)} }`,
    '500 aliased mutations': `mutation { ${times(500, (n) => `a${n}: ${emit}`)} }`,
    '50,000 tokens': `{ ${times(25_000, () => 'a a')} }`,
    '50,000 braces': '{a'.repeat(25_000),
    '10,000 directives at one field': `{ __typename ${times(10_000, () => '@skip(if: false)')} }`,
    '10,000 variables': `query (${times(10_000, (n) => `$v${n}: Int`)}) { __typename }`,
    'a list of 100,000 numbers': `{ webhook(id: [${times(100_000, () => '1')}]) { id } }`,
  }),
  ...invalid({
    '300 aliases of one field': `{ ${times(300, (n) => `a${n}: viewer { scopes }`)} }`,
    '50 aliased mutations': `mutation { ${times(50, (n) => `a${n}: ${emit}`)} }`,
    '16 mutations under aliases': `mutation { ${times(16, (n) => `a${n}: ${emit}`)} }`,
    '600 aliases of __typename': `{ ${times(600, (n) => `a${n}: __typename`)} }`,
    '600 aliases named __typename': `{ ${times(600, () => '__typename: viewer')} }`,
    '1,900 times __typename': `{ ${times(1900, () => '__typename')} }`,
    '1,900 times the same leaf': `{ viewer { ${times(1900, () => 'scopes')} } }`,
    '480 times the same object': `{ ${times(480, () => 'viewer { scopes }')} }`,
    '30 objects with 60 equal leaves each': `{ ${times(30, () => `viewer { ${times(60, () => 'scopes')} }`)} }`,
    '300 inline fragments with one field': `{ ${times(300, () => '... { __typename }')} }`,
    'nested inline fragments': `{ ${times(400, () => '... {')} __typename ${'}'.repeat(400)} }`,
    '190 fragments with the same field': `{ ${times(190, (n) => `...F${n}`)} }
      ${times(190, (n) => `fragment F${n} on Query { __typename }`)}`,
    '1,000 spreads of one fragment': `{ ${times(900, () => '...F')} } fragment F on Query { __typename }`,
    '280 directives at one field': `{ __typename ${times(280, () => '@skip(if: false)')} }`,
    '900 unknown directives': `{ __typename ${times(900, (n) => `@d${n}`)} }`,
    '300 fields with a directive each': `{ ${times(200, () => '__typename @include(if: true)')} }`,
    '450 variables': `query (${times(450, (n) => `$v${n}: Int`)}) { __typename }`,
    'a list of 1,900 numbers': `{ webhook(id: [${times(1900, () => '1')}]) { id } }`,
    '1,900 brackets': `{ webhook(id: ${'['.repeat(950)}${']'.repeat(950)}) { id } }`,
    'an object of 600 unknown members': `mutation {
      emitEvent(input: {${times(600, (n) => `a${n}: 1`)}}) { duplicate } }`,
    '600 arguments': `{ webhook(${times(600, (n) => `a${n}: 1`)}) { id } }`,
    '1,900 unknown fields': `{ ${times(1900, (n) => `webhoks${n}`)} }`,
    '300 unknown types': `{ ${times(300, (n) => `... on T${n} { a }`)} }`,
    '400 operations': times(390, (n) => `query Q${n} { __typename }`),
    '390 anonymous operations': times(390, () => '{ __typename }'),
  }),
];

/** Large as a text. */
const huge: Abuse[] = [
  ...unreadable({
    'one text of 4 MB': `{ webhook(id: "${'x'.repeat(4_100_000)}") { id } }`,
    'one block text of 4 MB': `{ webhook(id: """${'x '.repeat(2_000_000)}""") { id } }`,
    'one comment of 4 MB': `# ${'x'.repeat(4_100_000)}\n{ __typename }`,
    '4 MB of commas': `{ __typename ${','.repeat(4_100_000)} }`,
    'one name of 4 MB': `{ ${'x'.repeat(4_100_000)} }`,
    'one number of 4 MB': `{ webhooks(first: ${'9'.repeat(4_000_000)}) ${CURSORS} }`,
    '400,000 lines': `{ __typename ${'\n'.repeat(400_000)} }`,
    'a document of one character too many': `{ __typename }${' '.repeat(65_536 - 13)}`,
    'a block text of the words of a message, over and over': `"a" """${'Value "'.repeat(8_000)}"""`,
  }),
  ...badVariables(
    { f: { ['Value "'.repeat(40_000)]: 1 } },
    {
      'a field of an input whose name is the words of a message, over and over': `query ($f: DeliveryFilter) {
        deliveries(filter: $f) ${CURSORS} }`,
    },
  ),
  ...invalid({
    'a name of 60,000 letters': `{ ${'x'.repeat(60_000)} }`,
    'a type of 60,000 letters': `{ ... on ${'X'.repeat(60_000)} { id } }`,
    'a number of 60,000 digits': `{ webhooks(first: ${'9'.repeat(60_000)}) ${CURSORS} }`,
  }),
];

/** Deep, or in circles. */
const nested: Abuse[] = [
  ...unreadable({ '5,000 levels': deep(5000) }),
  ...invalid({
    '300 levels': deep(300),
    '13 levels': deep(12),
    'a fragment of itself': '{ ...F } fragment F on Query { ...F }',
    'a circle of two fragments': '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    'a circle of 20 fragments': `{ ...F0 }
      ${times(20, (n) => `fragment F${n} on Query { viewer { scopes } ...F${(n + 1) % 20} }`)}`,
    'fragments that all spread all others': `{ ...F0 }
      ${times(20, (n) => `fragment F${n} on Query { ${times(20, (m) => `...F${m}`)} }`)}`,
    'a circle through fields': `{ webhooks { edges { node { ...W } } } }
      fragment W on Webhook { deliveries { edges { node { webhook { ...W } } } } }`,
    '2^25 spreads of a leaf': bomb(25, '__typename'),
    '2^25 spreads of an object': bomb(25, 'viewer { scopes }'),
    '2^12 spreads of pages': bomb(12, pages('10')),
    'fragments that hide the depth': `{ webhooks { edges { node { ...F0 } } } } fragment F8 on Webhook { id }
      ${times(8, (n) => `fragment F${n} on Webhook { deliveries { edges { node { webhook { ...F${n + 1} } } } } }`)}`,
    'an unknown fragment': '{ ...Nowhere }',
    'introspection in circles': introspection(20),
    'introspection five levels deep': introspection(5),
    'introspection three levels deep': introspection(3),
    'the whole schema, 15 times over': `{ ${times(15, (n) => `a${n}: __schema { ${everything} }`)} }`,
    'the whole schema, twice': `{ __schema { ${everything} } ... { a: __schema { ${everything} } } }`,
    'the whole schema, twice by one fragment': `{ ...F ... @include(if: true) { ...F } }
      fragment F on Query { __schema { ${everything} } }`,
    'all fields of the schema, 15 times over': `{ __schema { types {
      ${times(15, (n) => `a${n}: fields { name description }`)} } } }`,
    'all fields of the schema, five times over by a fragment': `{ __schema { types { ...F } } }
      fragment F on __Type { ${times(5, (n) => `a${n}: fields { name }`)} }`,
    '11 types of the schema': `{ ${times(11, (n) => `${n === 0 ? '' : `a${n}: `}__type(name: "Query") { name }`)} }`,
  }),
];

const nodes = (fields: string) => `edges { node { ${fields} } }`;
const aliased = (count: number, field: string) => times(count, (n) => `a${n}: ${field}`);

/** Documents that would read too much. */
const dear: Abuse[] = [
  ...invalid({
    'pages of 100 within pages of 100': `{ ${pages('100')} }`,
    'the same through defaults': `query ($n: Int = 100) { ${pages('$n')} }`,
    'the same through a negative page': `{ ${pages('-100')} a: ${pages('100')} }`,
    'the same through a page of 2^31 - 1': `{ ${pages('2147483647')} }`,
    'the same behind @skip': `query ($no: Boolean = false) { ... @skip(if: $no) { ${pages('100')} } }`,
    'a page of events with 15 payloads each': `{ events(first: 100) { ${nodes(aliased(15, 'payload'))} } }`,
    'a page of events with the same bytes twice': `{ events(first: 100) { ${nodes('payload body')} } }`,
    'pages of deliveries with 14 payloads each': `{ webhooks(first: 20) {
      ${nodes(`deliveries(first: 100) { ${nodes(`event { ${aliased(14, 'payload')} }`)} }`)} } }`,
    'a page of deliveries with all that was answered, three times over': `{ deliveries(first: 100) {
      ${nodes(`attempts { responseBody ${aliased(2, 'responseBody')} }`)} } }`,
    'every schema, 15 times over': `{ eventTypes { versions { ${aliased(15, 'schema')} } } }`,
    'a page of 2^63': `{ webhooks(first: 9223372036854775808) ${CURSORS} }`,
  }),
  ...invalid({ 'the same through variables': `query ($n: Int) { ${pages('$n')} }` }, { variables: { n: 100 } }),
  ...invalid(
    {
      'the same behind @include': `query ($yes: Boolean!) { ...F @include(if: $yes) }
        fragment F on Query { ${pages('100')} }`,
    },
    { variables: { yes: true } },
  ),
  ...badVariables(
    { id: null, is: null },
    {
      'the same beside an id that is null in spite of a default': `query ($id: ID = "1") {
        delivery(id: $id) { id } ${pages('100')} }`,
      'the same beside a flag that is null in spite of a default': `query ($is: Boolean = true) {
        viewer @include(if: $is) { scopes } ${pages('100')} }`,
      'the same beside a nested flag that is null in spite of a default': `query ($is: Boolean = true) {
        viewer { scopes @include(if: $is) } ${pages('100')} }`,
    },
  ),
  ...badVariables(
    { n: 1e300 },
    { 'a page of 1e300 by variable': `query ($n: Int) { webhooks(first: $n) ${CURSORS} }` },
  ),
];

const A = 'query A { viewer { scopes } }';
const UNRESOLVED = 'OPERATION_RESOLUTION_FAILURE';
const filtered = `query ($f: DeliveryFilter) { deliveries(filter: $f) ${CURSORS} }`;
const numbers = Array.from({ length: 100_000 }, () => 1);

/** Tricks of the protocol. */
const tricks: Abuse[] = [
  ...[1, 1000].map((count) => ({
    name: `a batch of ${count}`,
    body: Array(count).fill({ query: '{ viewer { scopes } }' }),
    codes: ['BAD_REQUEST'],
  })),
  ...refused(UNRESOLVED, { 'an operation name that is not there': A }, { operationName: 'B' }),
  ...refused(UNRESOLVED, { 'two operations and no name': `${A} query B { viewer { scopes } }` }),
  ...refused('BAD_REQUEST', { 'an operation name of 4 MB': A }, { operationName: 'x'.repeat(4_000_000) }),
  ...refused(
    UNRESOLVED,
    { '10,000 variables that are not declared': A },
    {
      operationName: 'B',
      variables: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`v${n}`, n])),
    },
  ),
  ...invalid(
    { 'a dear operation beside a cheap one': `query A { viewer { scopes } } query B { ${pages('100')} }` },
    { operationName: 'B' },
  ),
  ...invalid({
    'a subscription': 'subscription { deliveryUpdated { id } }',
    'a condition that is none': 'subscription { deliveryUpdated @skip(if: 1) { cursor } }',
    'a condition without an end': 'subscription { deliveryUpdated @skip { cursor } }',
    'a type definition': 'type Query { a: Int } { viewer { scopes } }',
  }),
  ...[
    'deliveryUpdated @skip(if: $x)',
    '...F @include(if: $x)',
    '... @skip(if: $x) { deliveryUpdated { cursor } }',
  ].flatMap((root) =>
    invalid({
      [`a subscription that may be to nothing: ${root}`]: `subscription ($x: Boolean!) { ${root} }
          fragment F on Subscription { deliveryUpdated { cursor } }`,
    }),
  ),
  ...invalid(
    {
      'a query beside a subscription that may be to nothing': `${A}
        subscription B { ... on Subscription @include(if: null) { deliveryUpdated { cursor } } }`,
    },
    { operationName: 'A' },
  ),
  {
    name: 'a persisted query',
    body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
    codes: ['PERSISTED_QUERY_NOT_FOUND'],
    status: 200, // what clients that try it first expect, to send the document itself then
  },
  ...badVariables({ f: nestedList(2000) }, { 'variables nested 2,000 levels': filtered }),
  ...badVariables({ f: numbers }, { 'a filter that is a list of 100,000': filtered }),
  ...badVariables(
    { i: { url: 'x', eventTypes: numbers } },
    {
      'event types that are a list of 100,000 numbers':
        'mutation ($i: CreateWebhookInput!) { createWebhook(input: $i) { secret } }',
    },
  ),
];

function nestedList(levels: number): unknown {
  return levels === 0 ? 1 : [nestedList(levels - 1)];
}

export const abuses: readonly Abuse[] = [...floods, ...huge, ...nested, ...dear, ...tricks];
