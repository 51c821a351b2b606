import { expect, test } from 'vitest';
import {
  CONTENTS,
  dearEventType,
  dearPayload,
  drawContents,
  greatestSize,
  isWhole,
  probeOf,
} from '../../bench/dear-contents.js';
import { contentFrom, contentOf } from '../../src/domain/content/content.js';
import { FilteredEvent } from '../../src/domain/content/judge-filter.js';
import { readFilter } from '../../src/domain/content/read-filter.js';
import { templateProblems, textProblems } from '../../src/domain/content/template.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';
import { readShape } from '../../src/platform/shapes/read-shape.js';

const rules = { payloadBytesMax: 262_144, cloudEventsSource: undefined, publicUrl: undefined };
const { name: type, description, schema } = dearEventType;
const known = [{ name: type, description, schema: JSON.stringify(schema) }];

/** What the API would answer to a preview of a content. */
function previewed(content: Readonly<Record<string, unknown>>, body: string) {
  const { filter, format = null, text = null, template = null, shape: written } = content as Record<string, string>;
  const read = written === undefined ? null : readShape(written, known);
  const isRefused =
    (read !== null && 'faults' in read) ||
    (template !== null && templateProblems(template).length > 0) ||
    (text !== null && (text.length > 2_000 || textProblems(text, 'text').length > 0));
  const filtered = filter === undefined ? null : readFilter(filter);
  if (isRefused || (filtered !== null && 'problems' in filtered)) {
    return { matches: false, body: null, refusal: 'refused' };
  }
  const failed = filtered === null ? null : new FilteredEvent(type, body).failedCondition(filtered.filter);
  const shape = read === null ? null : { text: written!, plan: read.plan };
  const made = contentFrom({ shape, format, text, template });
  const sent = made === null ? null : contentOf({ id: 1, tenantId: 1, type, body }, made, rules);
  return { matches: failed === null, body: sent?.body ?? null, refusal: null };
}

test('the payload of dear contents has the length that it is to have, and fits its schema', () => {
  for (const bytes of [10_000, 255 * 1_024]) {
    const payload = dearPayload(bytes);
    expect(Buffer.byteLength(payload)).toBe(bytes);
    expect(JSON.parse(payload)).toEqual({ articles: expect.any(Array), note: expect.any(String) });
  }
  expect(schemaIssues(schema)).toEqual([]);
});

test('twelve contents are the same for the same seed, of every kind, and one of them is for Slack', () => {
  const described = (seed: number) => drawContents(seed).map(({ name, ofSize }) => [name, ofSize(20)]);
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 20; seed++) {
    const names = drawContents(seed).map(({ name }) => name);
    expect(described(seed)).toEqual(described(seed));
    expect(new Set(names).size).toBe(CONTENTS);
    expect(names).toContain('slack');
    for (const name of names) {
      kinds.add(name);
    }
  }
  expect([...kinds].sort()).toEqual(
    [
      ...['cloudevents-binary', 'cloudevents-structured', 'discord', 'filter', 'shape', 'slack', 'teams', 'teams_card'],
      ...['template-drawn', 'template-fields', 'template-payloads', 'template-shaped', 'template-spellings'],
    ].sort(),
  );
});

test('each content is allowed about payloads of 10 KB and of 256 KiB when it is small', () => {
  for (const body of [dearPayload(10_000), dearPayload(255 * 1_024)]) {
    for (const { name, ofSize } of [1, 2, 3].flatMap(drawContents)) {
      expect([name, isWhole(ofSize(1), previewed(probeOf(ofSize(1)), body))]).toEqual([name, true]);
    }
  }
});

test('a content that is too large is not whole', () => {
  const body = dearPayload(10_000);
  const isAllowed = (name: string, size: number) => {
    const content = drawContents(1)
      .find((one) => one.name === name)!
      .ofSize(size);
    return isWhole(content, previewed(probeOf(content), body));
  };
  expect([isAllowed('template-payloads', 2), isAllowed('template-payloads', 40)]).toEqual([true, false]);
  expect([isAllowed('filter', 50), isAllowed('filter', 1_000)]).toEqual([true, false]);
  expect([isAllowed('slack', 10), isAllowed('slack', 1_000)]).toEqual([true, false]);
});

test('the greatest size that is allowed is found, or one that is a tenth less', async () => {
  for (const limit of [1, 2, 3, 17, 100, 777, 2_047, 2_048]) {
    const found = await greatestSize(async (size) => size <= limit);
    expect(found).toBeLessThanOrEqual(limit);
    expect(found).toBeGreaterThanOrEqual(Math.min(limit, Math.floor(0.9 * limit)));
  }
  expect(await greatestSize(async () => false)).toBe(0);
});
