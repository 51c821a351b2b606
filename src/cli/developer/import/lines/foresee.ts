import { judgeUrl } from '../../../../domain/addresses/target.js';
import { readFilter } from '../../../../domain/content/read-filter.js';
import { isEventTypeName, WILDCARD } from '../../../../domain/events/event-type.js';
import { authProblems } from '../../../../domain/fields/auth.js';
import { TEXT_MAP_KEY } from '../../../../domain/fields/field.js';
import { nameProblem, valueProblem } from '../../../../domain/fields/headers.js';
import { EVENT_TYPES_MAX } from '../../../../domain/fields/webhook-fields.js';
import { isSecret, SECRET_FORMS } from '../../../../domain/signing/secret.js';
import type { WebhookLine } from './line.js';

/** The rules of an installation without settings of its own. */
const DEFAULTS = { allowHttp: false, allowedRanges: [], loopbackHttp: false };
const DEFAULT_PREFIX = 'X-Service';

/**
 * Why a service with default settings would refuse a line, as ends of a sentence without values. The service decides:
 * it may have opened addresses, and has limits of its own.
 */
export function foreseenRefusals(line: WebhookLine): string[] {
  const { url, events, secret, previousSecret, filter, headers, auth, metadata } = line;
  const verdict = judgeUrl(url, DEFAULTS);
  const read = filter ? readFilter(filter) : null;
  const ofHeaders = Object.entries(headers ?? {}).flatMap(([name, { value }]) => {
    const problem = nameProblem(name, DEFAULT_PREFIX) ?? valueProblem(value);
    return problem === null ? [] : [`headers.${name.slice(0, 64)} ${problem.detail}`];
  });
  return [
    ...(verdict.allowed ? [] : [`url ${verdict.reason}`]),
    ...ofEvents(events),
    ...ofSecret('secret', secret),
    ...ofSecret('previousSecret', previousSecret),
    ...(read !== null && 'problems' in read
      ? read.problems.map(({ path, detail }) => `${['filter', ...path].join('.')} ${detail}`)
      : []),
    ...ofHeaders,
    ...(auth
      ? authProblems(auth, DEFAULT_PREFIX).map(({ path, detail }) => `${['auth', ...path].join('.')} ${detail}`)
      : []),
    ...Object.keys(metadata ?? {}).flatMap((key) =>
      TEXT_MAP_KEY.test(key)
        ? []
        : [`metadata.${key.slice(0, 50)} is not a key of 1 to 40 letters, digits, "_", "." and "-"`],
    ),
  ];
}

const ofSecret = (field: string, secret: string | null | undefined): string[] =>
  secret == null || isSecret(secret) ? [] : [`${field} must be ${SECRET_FORMS}`];

function ofEvents(events: readonly string[]): string[] {
  if (events.length > EVENT_TYPES_MAX) {
    return [`events must have at most ${EVENT_TYPES_MAX} names, or be ["*"]`];
  }
  return events.flatMap((name, index) => {
    if (name === WILDCARD) {
      return events.length === 1 ? [] : [`events.${index} "*" must stand alone`];
    }
    return isEventTypeName(name)
      ? []
      : [`events.${index} must be 2 or more parts of a-z, 0-9 and _, with dots between them, such as order.paid`];
  });
}
