import { isEventTypeName, isOwnEventTypeName, WILDCARD } from '../../../../domain/events/event-type.js';
import { schemaIssues } from '../../../../platform/payload-checks/schema-issues.js';
import type { Numbered } from '../lines/import-file.js';
import type { EventTypeLine, WebhookLine } from '../lines/line.js';
import type { ImportApi } from './api.js';
import type { Report } from './report.js';
import { isOfTheLine } from './webhooks.js';

interface Registered {
  eventTypes: readonly { name: string }[];
}

const NAMES = '{ eventTypes { name } }';
const REGISTER =
  'mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { version } } }';

/** The schema of a type whose former one is unknown, or breaks a rule: every JSON object. */
const ANY_OBJECT = { type: 'object' };
const DESCRIPTION_CHARS_MAX = 1_000;

interface Written {
  webhooks: readonly Numbered<WebhookLine>[];
  eventTypes: readonly Numbered<EventTypeLine>[];
}

/** Event types that a file has or names, and the service lacks: `own` ones of its families, which nobody registers. */
export async function missingTypes(api: ImportApi, { webhooks, eventTypes }: Written) {
  const there = new Set((await api.ask<Registered>(NAMES, {})).eventTypes.map(({ name }) => name));
  const named = [
    ...eventTypes.map(({ line }) => line.eventType.name),
    ...webhooks.flatMap(({ line }) => line.events.filter((name) => name !== WILDCARD)),
  ];
  const missing = [...new Set(named)].filter((name) => !there.has(name) && isEventTypeName(name));
  return {
    missing: missing.filter((name) => !isOwnEventTypeName(name)),
    own: missing.filter(isOwnEventTypeName),
  };
}

/** Registers them, each with its schema from the file, or without rules. @throws what the next one would meet, too */
export async function registerTypes(
  api: ImportApi,
  report: Report,
  names: readonly string[],
  eventTypes: readonly Numbered<EventTypeLine>[],
): Promise<void> {
  const written = new Map(eventTypes.map(({ line }) => [line.eventType.name, line.eventType]));
  for (const name of names) {
    const { description, schema = null } = written.get(name) ?? {};
    const issues = schema === null ? [] : schemaIssues(schema);
    const said = description?.trim().slice(0, DESCRIPTION_CHARS_MAX) || `Imported; ${name} of the former system.`;
    const input = { name, description: said, schema: schema === null || issues.length > 0 ? ANY_OBJECT : schema };
    try {
      await api.ask(REGISTER, { input });
      report.also('event type');
      if (issues.length > 0) {
        const { path, detail } = issues[0]!;
        const place = path.length === 0 ? 'its schema' : `its schema: ${path.join('.')}`;
        report.say(`${name} takes every JSON object, because ${place} ${detail}.`);
      }
    } catch (error) {
      if (!isOfTheLine(error)) {
        throw error;
      }
      report.say(`${name} is not registered: ${error.message}`);
    }
  }
  if (names.length > 0) {
    api.typesChanged();
  }
}
