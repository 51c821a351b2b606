import { type Field, type Fields, type Group, setName } from '../../src/domain/fields/field.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';

/** What screens read of an endpoint's fields: those of groups are read by the screen that shows them. */
export const endpointFragments: readonly string[] = [
  `fragment EndpointFields on Webhook { ${selectionOf(webhookFields, ({ kind }) => kind !== 'group')} }`,
  `fragment EndpointOptions on Webhook { ${selectionOf(webhookFields, ({ kind }) => kind === 'group')} }`,
];

function selectionOf(fields: Fields, isWanted: (field: Field | Group) => boolean = () => true): string {
  const wanted = Object.entries(fields).filter(([, field]) => isWanted(field));
  const names = wanted.map(([name, field]) => {
    if (field.kind !== 'group') {
      const members = { headers: ' { name value secret }', auth: ' { kind username header }' };
      return (field as Field).secret ? setName(name) : `${name}${members[field.kind as 'auth'] ?? ''}`;
    }
    const own = field.option === undefined ? '' : 'own';
    const warnings = field.warns ? 'warnings { code message path eventType types }' : '';
    return `${name} { ${selectionOf(field.fields as Fields)} ${own} ${warnings} }`;
  });
  return names.join(' ');
}
