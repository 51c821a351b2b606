import { type AnyField, type Fields, shownName } from '../../src/domain/fields/field.js';
import { membersOf, partsOf } from '../../src/domain/fields/field-table.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';

/** What screens read of an endpoint's fields: those of groups are read by the screen that shows them. */
export const endpointFragments: readonly string[] = [
  `fragment EndpointFields on Webhook { ${selectionOf(webhookFields, (field) => membersOf(field) === null)} }`,
  `fragment EndpointOptions on Webhook { ${selectionOf(webhookFields, (field) => membersOf(field) !== null)} }`,
];

function selectionOf(fields: Fields, isWanted: (field: AnyField) => boolean = () => true): string {
  const wanted = Object.entries(fields).filter(([, field]) => isWanted(field));
  const names = wanted.map(([name, field]) => {
    const members = membersOf(field);
    const parts = [
      ...(members === null ? (field.secret ? [] : partsOf(field)) : [selectionOf(members as Fields)]),
      ...(field.option === undefined ? [] : ['own']),
      ...(field.warns ? ['warnings { code message path eventType types }'] : []),
    ];
    return `${shownName(name, field)}${parts.length === 0 ? '' : ` { ${parts.join(' ')} }`}`;
  });
  return names.join(' ');
}
