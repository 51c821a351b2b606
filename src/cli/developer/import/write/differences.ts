import { type AnyField, type Fields, type Group, type Members, optionName } from '../../../../domain/fields/field.js';
import { inputNames, membersOf } from '../../../../domain/fields/field-table.js';
import { webhookFields } from '../../../../domain/fields/webhook-fields.js';
import type { WebhookLine } from '../lines/line.js';
import { fieldsOf } from '../lines/webhook-input.js';
import { comparedKindOf } from './compared-kinds.js';

/** A webhook as it is there: its fields, those of groups among them, and what each run needs to know. */
export interface KnownWebhook extends Readonly<Record<keyof typeof webhookFields, unknown>> {
  id: string;
  externalId: string | null;
  version: number;
  /** The proof that its endpoint wants deliveries; null: none was asked for. */
  verification: { status: string } | null;
}

/** The values of a group. */
type KnownGroup = Readonly<Record<string, unknown>> & {
  /** The fields that the webhook sets itself, in a group whose fields are inherited. */
  own?: readonly string[];
};

/** The fields that the comparison reads. */
export const KNOWN_FIELDS = `id version verification { status } ${selectionOf(webhookFields)}`;

function selectionOf(fields: Fields): string {
  const selected = Object.entries(fields).map(([name, field]) => {
    const parts = partsOf(field);
    return parts === '' ? name : `${name} { ${parts} }`;
  });
  return selected.join(' ');
}

function partsOf(field: AnyField): string {
  const members = membersOf(field);
  if (members === null) {
    return comparedKindOf(field as Members[string]).parts;
  }
  return `${selectionOf(members as Fields)}${(field as Group).option === undefined ? '' : ' own'}`;
}

/** A field that differs. */
interface Difference {
  /** The difference in words. */
  sentence: string;
  /** The input of `updateWebhook` that ends it. */
  change: Readonly<Record<string, unknown>>;
}

/**
 * Compares a line with the webhook of its external id, as far as the line says something. Signing secrets and whether
 * it is active are the service's own from the moment that the webhook is made: they do not differ.
 */
export function differencesOf(line: WebhookLine, there: KnownWebhook): Difference[] {
  const wanted = fieldsOf(line);
  return Object.entries<AnyField>(webhookFields).flatMap(([place, field]) => {
    const members = membersOf(field);
    if (members === null) {
      return ofFields({ [place]: field as Members[string] }, wanted, { ...there });
    }
    const known = there[place as keyof typeof webhookFields] as KnownGroup;
    return ofFields(members, (wanted[place] ?? {}) as Values, known).map(({ sentence, change }) => ({
      sentence: place === 'ordering' ? `${place}.${sentence}` : sentence,
      change: { [place]: change },
    }));
  });
}

type Values = Readonly<Record<string, unknown>>;

function ofFields(fields: Members, wanted: Values, there: KnownGroup): Difference[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const input = inputNames(name, field)[0]!;
    if (!(input in wanted)) {
      return [];
    }
    const isInherited = field.inherited !== undefined && !there.own?.includes(optionName(name));
    const other = comparedKindOf(field).compare(wanted[input] as never, (isInherited ? null : there[name]) as never);
    return other === null ? [] : [{ sentence: `${name}: ${other.words}`, change: { [input]: other.input } }];
  });
}

/** One change of all differences. Secrets stay with an origin, so a new url brings those of the line again. */
export function changeOf(line: WebhookLine, differences: readonly Difference[]): object {
  const whole: Record<string, unknown> = {};
  for (const { change } of differences) {
    for (const [name, value] of Object.entries(change)) {
      whole[name] = isGroup(name) ? { ...(whole[name] as object), ...(value as object) } : value;
    }
  }
  const { setHeaders, auth, tls } = (fieldsOf(line)['delivery'] ?? {}) as Readonly<Record<string, unknown>>;
  const secrets = Object.entries({ setHeaders, auth, tls }).filter(([, value]) => value !== undefined);
  return 'url' in whole && secrets.length > 0
    ? { ...whole, delivery: { ...(whole['delivery'] as object), ...Object.fromEntries(secrets) } }
    : whole;
}

const isGroup = (name: string): boolean => membersOf(webhookFields[name as keyof typeof webhookFields]) !== null;
