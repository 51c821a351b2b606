import { isDeepStrictEqual } from 'node:util';
import type { Field, Fields, Group } from '../../domain/fields/field.js';
import { ApiError, invalidInput, type Path } from '../../errors.js';
import { graphqlName } from './names.js';

/**
 * A client may read a resource, change a part of it, and send all of it back: values as GET shows them change nothing,
 * and so do those that only answers have.
 */

/** The parts of a group that only readers get. */
const READ_ONLY = ['own', 'warnings'];

type Values = Readonly<Record<string, unknown>>;

/**
 * Leaves out of a change of options the values that GET shows. A value that is inherited becomes the webhook's own,
 * unless `own` is sent with it: then it was read.
 *
 * @param shown the options as GET shows them, or would show them of a new webhook without any
 * @param path of the options in the body
 * @throws ApiError secrets_bound_to_origin for a change of what a secret belongs to, without the secret; invalid_input
 */
export function changedOptions(fields: Fields, change: Values, shown: Values, path: Path): Values {
  const changed = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    const field = fields[graphqlName(name)]!;
    if (field.kind !== 'group') {
      return changedValue(field, name, value, shown[name], path);
    }
    const before = shown[name] as Values;
    const members = value === null ? null : changedMembers(field, value as Values, before, [...path, name]);
    return members === null || Object.keys(members).length > 0 ? [[name, members]] : [];
  });
  return Object.fromEntries(changed);
}

function changedMembers({ fields, option }: Group, change: Values, shown: Values, path: Path): Values {
  const mayInherit = option !== undefined && change['own'] === undefined;
  const changed = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    if (READ_ONLY.includes(name)) {
      return [];
    }
    const field = (fields as Fields)[graphqlName(name)] as Field;
    const isPinned = mayInherit && field.inherited !== undefined;
    return isPinned ? [[name, value]] : changedValue(field, name, value, shown[name], path);
  });
  return Object.fromEntries(changed);
}

function changedValue(field: Field, name: string, value: unknown, shown: unknown, path: Path): [string, unknown][] {
  if (isDeepStrictEqual(value, shown)) {
    return [];
  }
  if (field.kind === 'headers' && value !== null) {
    const headers = changedHeaders(value as Headers, (shown ?? {}) as Headers, [...path, name]);
    return Object.keys(headers).length > 0 ? [[name, headers]] : [];
  }
  if (field.kind === 'auth' && value !== null && hasNoSecret(value as Values)) {
    requireSameAuth(value as Values, shown as Values | null | undefined, [...path, name]);
    return [];
  }
  return [[name, value]];
}

type Headers = Readonly<Record<string, { value?: string; secret?: boolean } | null>>;

function changedHeaders(change: Headers, shown: Headers, path: Path): Headers {
  const changed = Object.entries(change).filter(([name, header]) => !isDeepStrictEqual(header, shown[name]));
  for (const [name, header] of changed) {
    if (header !== null && header.value === undefined) {
      requireSameHeader(header.secret, shown[name]?.secret, name, path);
    }
  }
  return Object.fromEntries(changed.filter(([, header]) => header === null || header.value !== undefined));
}

/** A header without its value must be as it was. */
function requireSameHeader(secret: boolean | undefined, was: boolean | undefined, name: string, path: Path): void {
  if (was === true && secret === false) {
    throw secretMissing(`the header ${name}`, 'make it readable', 'its value');
  }
  if (was === undefined || (was === false && secret === true)) {
    const why = was === undefined ? 'the webhook has no such header that could keep its value' : 'send it to hide it';
    throw invalidInput([{ path: [...path, name, 'value'], code: 'required', detail: `is required: ${why}` }]);
  }
}

const AUTH_SECRETS = ['basic', 'bearer', 'api_key'];

const hasNoSecret = (auth: Values): boolean => AUTH_SECRETS.every((name) => auth[name] === undefined);

function requireSameAuth(value: Values, shown: Values | null | undefined, path: Path): void {
  if (shown == null) {
    const detail = `must have exactly one of ${AUTH_SECRETS.join(', ')}: the webhook has no auth that it could keep`;
    throw invalidInput([{ path, code: 'required', detail }]);
  }
  const isKept = Object.entries(value).every(([name, one]) => isDeepStrictEqual(one, shown[name]));
  if (!isKept) {
    throw secretMissing('auth', 'change it', 'basic, bearer or api_key');
  }
}

const secretMissing = (what: string, change: string, secret: string) =>
  new ApiError('secrets_bound_to_origin', `The secret of ${what} stays where it was set: send ${secret} to ${change}.`);
