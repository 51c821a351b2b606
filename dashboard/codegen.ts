import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types the documents of the screens by the printed schema, into api/generated (which is not committed). */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['dashboard/**/*.{ts,tsx}', '!dashboard/api/generated/**'],
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
  errorsOnly: true,
};

export default config;
