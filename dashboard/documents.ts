import { generate } from '@graphql-codegen/cli';
import { webhookFields } from '../src/domain/fields/webhook-fields.js';

/** What screens read of an endpoint's fields. */
const endpointFields = `fragment EndpointFields on Webhook { ${Object.keys(webhookFields).join(' ')} }`;

/**
 * Types the documents of the screens by the printed schema, into api/generated (which is not committed).
 * `embedHashInDocument` also lists them in persisted-documents.json, which tests and docs read.
 */
try {
  await generate(
    {
      schema: 'schema.graphql',
      documents: ['dashboard/**/*.{ts,tsx}', '!dashboard/api/generated/**', endpointFields],
      generates: {
        'dashboard/api/generated/': {
          preset: 'client',
          presetConfig: { fragmentMasking: false, persistedDocuments: { mode: 'embedHashInDocument' } },
          config: {
            useTypeImports: true,
            enumsAsTypes: true,
            strictScalars: true,
            defaultScalarType: 'unknown',
            scalars: { DateTime: 'string', JSONObject: 'Record<string, unknown>', SafeInt: 'number' },
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
