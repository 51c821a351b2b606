import { generate } from '@graphql-codegen/cli';
import { type Field, type Fields, type Group, setName } from '../src/domain/fields/field.js';
import { webhookFields } from '../src/domain/fields/webhook-fields.js';

/** What screens read of an endpoint's fields: those of groups are read by the screen that shows them. */
const endpointFields = [
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

/**
 * Types the documents of the screens by the printed schema, into api/generated (which is not committed).
 * `embedHashInDocument` also lists them in persisted-documents.json, which tests and docs read.
 */
try {
  await generate(
    {
      schema: 'schema.graphql',
      documents: ['dashboard/**/*.{ts,tsx}', '!dashboard/api/generated/**', ...endpointFields],
      generates: {
        'dashboard/api/generated/': {
          preset: 'client',
          presetConfig: { fragmentMasking: false, persistedDocuments: { mode: 'embedHashInDocument' } },
          config: {
            useTypeImports: true,
            enumsAsTypes: true,
            strictScalars: true,
            defaultScalarType: 'unknown',
            scalars: { DateTime: 'string', JSON: 'unknown', JSONObject: 'Record<string, unknown>', SafeInt: 'number' },
          },
        },
      },
      silent: true,
    },
    true,
  );
} catch (error) {
  const { errors = [error] } = error as { errors?: unknown[] };
  process.stderr.write(`The documents of the dashboard do not fit:\n${errors.map(String).join('\n')}\n`);
  process.exitCode = 1;
}
