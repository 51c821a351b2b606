import { generate } from '@graphql-codegen/cli';
import { endpointFragments } from './build/endpoint-fragments.js';

/** Types the documents of the screens by the printed schema, into api/generated, which is not committed. */
try {
  await generate(
    {
      schema: 'schema.graphql',
      documents: ['dashboard/**/*.{ts,tsx}', '!dashboard/api/generated/**', ...endpointFragments],
      generates: {
        'dashboard/api/generated/': {
          preset: 'client',
          presetConfig: { fragmentMasking: false },
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
