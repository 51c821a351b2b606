import { readFileSync } from 'node:fs';
import { formatter } from '@lingui/format-po';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';

/** The places of texts that people read. */
type Place = 'the dashboard' | 'event types' | 'docs/scheduled.md' | 'GraphiQL' | 'the doctor';

/** What is written in the place of words that stopped people. */
const WORDS: [old: RegExp, better: RegExp, place?: Place][] = [
  [/that lie too far in the future: /, /too far in the future\. The clock of Postgres was ahead\./, 'the doctor'],
  [/^Look now$/, /^Check the endpoint now$/],
  [/^In parallel$|\beach$/, /\{0\} on average|\} on average$/],
  [/A person enables it/, /^Manual$/],
  [/Shown only when it was created/, /^Hidden\. Rotate to get a new one\.$/],
  [/^\{\w+, plural, one \{# waits\} other \{# wait\}\}/, /^Blocked for \{\w+\} by .+; .+ waiting$/],
  [/In its place, before the others of its key/, /^Retry it first, then continue in order\.$/],
  [/Cancel all of the key/, /^Cancel everything waiting for this key$/],
  [/A pause is no such case/, /Not sent when you pause it\./, 'event types'],
  [/On manual dispatch through/, /^When you send a test\.$/],
  [/half of a hold/, /24 hours before, or half-way if the hold is shorter than 48 hours/, 'event types'],
  [/The URL receives events of these types/, /^This endpoint receives these events\./],
  [/have the usual text/, /default text/],
  [/^Set the order$|^Set pace and retries$|^Pace and retries$/, /^Rate and retries$/],
  [/The schema has another type here/, /^This is \{\w+\}, but .+ is .+\. It will never match\.$/],
  [/^Contract$/, /^Default: 62 min$/],
  [/All running processes share this number/, /^Shared by all daemons \(each gets at least 1\)\.$/],
  [/^Its events$|^Its deliveries$/, /^View events$/],
  [/Filter and format are changed/, /^Saved/],
  [/^No action needed/, /Nothing to do\.$/],
  [/^half are faster$/, /^median$/],
  [/endpoints? fails? now/, /endpoints? (?:is|are) failing/],
  [/^Checks are left out/, /^Test checks are not included\.$/],
  [/^\{\w+, plural, one \{# delivery\} other \{\{\w+\} deliveries\}\}$/, /^See them$/],
  [
    /[Ii]t begins\s+to\s+exist at its time/,
    /It is created at that time and delivered to the webhooks/,
    'docs/scheduled.md',
  ],
  [/An event that does not matter any more/, /You can cancel it before then\./, 'docs/scheduled.md'],
  [/All in one it is in/, /Paste your API key after "Bearer "\./, 'GraphiQL'],
];

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A file as one text, without the signs of a comment at the beginnings of lines. */
const wholeOf = (path: string) => [read(path).replaceAll(/\s+(?:# +)?/g, ' ')];

async function textsOfDashboard(): Promise<string[]> {
  const path = 'dashboard/text/catalogues/de.po';
  const options = { locale: 'de', sourceLocale: 'en', filename: path };
  return Object.values(await formatter().parse(read(path), options)).map(({ message = '' }) => message);
}

/** As a new installation has them. */
async function descriptionsOfTypes(): Promise<string[]> {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query<{ text: string }>('select description as text from hookwright.event_types');
    return rows.map(({ text }) => text);
  } finally {
    await client.end();
    await drop();
  }
}

const textsOf: Record<Place, () => string[] | Promise<string[]>> = {
  'the dashboard': textsOfDashboard,
  'event types': descriptionsOfTypes,
  'docs/scheduled.md': () => wholeOf('docs/scheduled.md'),
  GraphiQL: () => wholeOf('dashboard/build/graphiql-page.ts'),
  'the doctor': () => wholeOf('src/operations/doctor/judge-deliveries.ts'),
};

for (const place of Object.keys(textsOf) as Place[]) {
  test(`the words that stopped people are not in ${place}, and better ones are`, async () => {
    const texts = await textsOf[place]();
    const own = WORDS.filter(([, , of = 'the dashboard']) => of === place);
    const missing = own.filter(([, better]) => !texts.some((text) => better.test(text)));
    expect(own.map(([old]) => old).filter((old) => texts.some((text) => old.test(text)))).toEqual([]);
    expect(missing.map(([, better]) => better)).toEqual([]);
  });
}
