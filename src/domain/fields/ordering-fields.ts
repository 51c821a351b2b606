import { PATH_CHARS_MAX, PATH_NAMES_MAX } from '../content/filter-path.js';
import type { Group } from './field.js';

const keyPath = `names with dots between them, such as \`order.id\`, at most ${PATH_NAMES_MAX} and ${PATH_CHARS_MAX} characters`;

const SETTLE_SECONDS_MIN = 0.5;
export const SETTLE_SECONDS_MAX = 3_600;
const settleRange = `${SETTLE_SECONDS_MIN} to ${SETTLE_SECONDS_MAX}`;
const settleTime = {
  kind: 'number',
  min: SETTLE_SECONDS_MIN,
  max: SETTLE_SECONDS_MAX,
  unit: 'seconds',
  refusedAs: 'settle_out_of_range',
  optional: true,
  since: '0.2.0',
} as const;

/** In which order a webhook gets its events (docs/ordering.md). */
export const ordering = {
  kind: 'group',
  part: 'ordering',
  type: 'Ordering',
  scope: 'webhooks:options',
  warns: true,
  optionsRow: true,
  description: 'The order in which events are sent.',
  input:
    'The order in which events are sent. Options that are left out stay as they are; null removes one. A change holds for new events.',
  rest: 'The order in which events are sent. null removes an option. A change holds for new events.',
  fields: {
    by: {
      kind: 'choice',
      column: 'ordering_by',
      type: 'OrderingBy',
      about: 'Which events wait for each other.',
      values: {
        NONE: 'None: each event is sent at once.',
        KEY: 'Events with the same key: the `orderingKey` of the emit, or the value at `keyPath`. Events without a key are sent at once.',
        ENDPOINT: 'All events of the webhook. One that fails makes all others wait.',
      },
      optional: true,
      default: 'NONE',
      description: 'Which events wait for each other.',
      input: 'Which events wait for each other. An event is sent when all earlier ones have ended. Null: none.',
      rest: 'Which events wait for each other: NONE, KEY (those with the same key) or ENDPOINT (all). An event is sent when all earlier ones have ended. null means NONE.',
    },
    keyPath: {
      kind: 'path',
      refusedAs: 'key_path_malformed',
      optional: true,
      description: 'The path of the key in the payload, for events that are emitted without `orderingKey`.',
      input: `The path of the key in the payload, for events that are emitted without \`orderingKey\`: ${keyPath}. A text, number or boolean there is the key. Null removes it.`,
      rest: `The path of the key in the payload, for events that are emitted without an ordering key: ${keyPath}. A text, number or boolean there is the key. null removes it.`,
    },
    keep: {
      kind: 'choice',
      column: 'ordering_keep',
      type: 'OrderingKeep',
      about: 'Which waiting events of a key are sent.',
      values: {
        ALL: 'All of them.',
        LATEST: 'The latest: a new event cancels those of its key that wait (`SUPERSEDED`).',
      },
      optional: true,
      default: 'ALL',
      description: 'Which waiting events of a key are sent.',
      input: 'Which waiting events of a key are sent. Null: all.',
      rest: 'Which waiting events of a key are sent: ALL, or LATEST (a new event cancels those of its key that wait). null means ALL.',
    },
    settleSeconds: {
      ...settleTime,
      column: 'ordering_settle_seconds',
      description:
        'How many seconds a key must have been quiet before its latest event is sent. Null: events are sent at once.',
      input: `How many seconds a key must have been quiet before its latest event is sent, ${settleRange}. It needs \`keep: LATEST\`. Null: events are sent at once.`,
      rest: `How many seconds a key must have been quiet before its latest event is sent, ${settleRange}. It needs \`keep\` LATEST. null: events are sent at once.`,
    },
    settleMaxSeconds: {
      ...settleTime,
      column: 'ordering_settle_max_seconds',
      description:
        'The most seconds that a key which is never quiet waits. Null: ten times `settleSeconds`, at most an hour.',
      input: `The most seconds that a key which is never quiet waits: \`settleSeconds\` to ${SETTLE_SECONDS_MAX}. Null: ten times \`settleSeconds\`, at most an hour.`,
      rest: `The most seconds that a key which is never quiet waits: \`settle_seconds\` to ${SETTLE_SECONDS_MAX}. null: ten times \`settle_seconds\`, at most an hour.`,
    },
    onFailure: {
      kind: 'choice',
      column: 'ordering_on_failure',
      type: 'OrderingFailure',
      about: 'What follows when an event of a key has failed for good.',
      values: {
        CONTINUE: 'The next event is sent.',
        BLOCK: 'The key is blocked: its events wait until `unblockKey`.',
      },
      optional: true,
      default: 'CONTINUE',
      description: 'What follows when an event of a key has failed for good.',
      input: 'What follows when an event of a key has failed for good. Null: the next event is sent.',
      rest: 'What follows when an event of a key has failed for good: CONTINUE (the next event is sent) or BLOCK (the others of its key wait until somebody unblocks it). null means CONTINUE.',
    },
  },
} as const satisfies Group;
