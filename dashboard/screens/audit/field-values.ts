import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { conditionsIn, type EventFilter } from '../../../src/domain/content/filter';
import { delaysText } from '../../parts/pace';
import { DELIVERY_STATES } from '../../parts/status';
import { shortly } from '../../parts/time';
import { count, duration, unit } from '../../text/numbers';
import { hasValue } from '../endpoints/content/filter-rows';
import { valueText } from '../endpoints/content/filter-values';
import { FORMATS, OPERATOR_WORDS } from '../endpoints/content/words';
import { ORDER_BY, ORDER_KEEP, ORDER_ON_FAILURE } from '../endpoints/ordering/words';
import { KINDS, OPERATION_STATES } from '../operations/names';
import { HIDDEN } from './changes';

const namesOf = (words: Readonly<Record<string, { name: MessageDescriptor }>>) =>
  Object.fromEntries(Object.entries(words).map(([value, { name }]) => [value, name]));

const DISABLED = {
  PAUSED: msg`paused`,
  UNVERIFIED: msg`not verified`,
  GONE: msg`answered 410 Gone`,
  FAILURES: msg`too many failures`,
};

/** The words of a field's choices. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, MessageDescriptor>>>> = {
  active: { true: msg`active`, false: msg`inactive` },
  reason: DISABLED,
  disabledReason: DISABLED,
  held: { RELEASE: msg`sent`, KEEP: msg`kept`, DISCARD: msg`canceled` },
  recovery: { AUTOMATIC: msg`automatic`, MANUAL: msg`manual` },
  signing: { SECRET: msg`by the secret`, SECRET_AND_KEY: msg`by the secret and a key pair` },
  by: namesOf(ORDER_BY),
  keep: namesOf(ORDER_KEEP),
  onFailure: namesOf(ORDER_ON_FAILURE),
  format: namesOf(FORMATS),
  status: { ...namesOf(OPERATION_STATES), ...namesOf(DELIVERY_STATES) },
  kind: KINDS,
  reshape: { true: msg`made again` },
};
const YES_OR_NO = { true: msg`yes`, false: msg`no` };

/** A value of the log in words: as forms show it. @param value undefined where the field was not there */
export function valueWords(field: string, value: unknown, i18n: I18n): string {
  if (value === undefined || value === null || value === '') {
    return i18n._(msg`not set`);
  }
  const choice = CHOICES[field]?.[String(value)];
  if (choice !== undefined) {
    return i18n._(choice);
  }
  if (typeof value === 'boolean') {
    return i18n._(YES_OR_NO[`${value}`]);
  }
  if (typeof value === 'number') {
    return numberWords(field, value);
  }
  if (typeof value === 'string') {
    return value === HIDDEN ? '••••••' : isMoment(value) ? shortly(value) : value;
  }
  return Array.isArray(value) ? listWords(field, value, i18n) : objectWords(field, value as object, i18n);
}

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text);

function numberWords(field: string, value: number): string {
  return field.endsWith('Ms')
    ? duration(value)
    : field.endsWith('Seconds')
      ? duration(value * 1_000)
      : field.endsWith('Hours')
        ? unit(value, 'hour', 1)
        : count(value);
}

function listWords(field: string, values: readonly unknown[], i18n: I18n): string {
  if (field === 'retryDelaysSeconds') {
    return values.length === 0 ? i18n._(msg`not set`) : delaysText(values as number[]);
  }
  if (field === 'eventTypes' && values[0] === '*') {
    return i18n._(msg`All event types`);
  }
  return values.length === 0
    ? i18n._(msg`not set`)
    : values
        .map((value) => (typeof value === 'object' ? JSON.stringify(value) : valueWords(field, value, i18n)))
        .join(', ');
}

/** A filter by its conditions, and other objects by their parts. */
function objectWords(field: string, value: object, i18n: I18n): string {
  if (field === 'filter' && isPlain(value)) {
    return conditionsIn(value)
      .map(({ condition: { path, op, value: compared }, lists }) =>
        [[...lists, path].join('.'), i18n._(OPERATOR_WORDS[op]), hasValue(op) && valueText(compared, op)]
          .filter((word) => word !== false)
          .join(' '),
      )
      .join(', ');
  }
  if (field === 'template' || field === 'schema' || field === 'filter') {
    return JSON.stringify(value);
  }
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return parts.length === 0
    ? i18n._(msg`not set`)
    : parts
        .map(
          ([name, part]) =>
            `${name}: ${typeof part === 'object' ? JSON.stringify(part) : valueWords(name, part, i18n)}`,
        )
        .join(', ');
}

/** Whether all conditions of a filter must be met: then a list of them says it. */
function isPlain({ all, field }: EventFilter): boolean {
  return field != null || (all?.every((one) => one.field != null) ?? false);
}
