interface Raw {
  $queryRawUnsafe(sql: string, ...values: unknown[]): Promise<unknown>;
  $executeRawUnsafe(sql: string): Promise<number>;
}

interface Prisma extends Raw {
  $transaction<Result>(work: (tx: Raw) => Promise<Result>): Promise<Result>;
  $disconnect(): Promise<void>;
}

/**
 * A client of Prisma 7 with a driver adapter, as `prisma generate` writes it for a schema without models. Generating
 * it here would download an engine that the client itself does not use.
 */
export async function openPrisma(connectionString: string): Promise<Prisma> {
  const load = (name: string) => import(/* @vite-ignore */ name);
  const { getPrismaClient } = await load('@prisma/client/runtime/client');
  const { PrismaPg } = await load('@prisma/adapter-pg');
  const compiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql';
  const PrismaClient = getPrismaClient({
    previewFeatures: [],
    clientVersion: '7.10.0',
    engineVersion: '0edf323efd1d98336f3f0a68684b56f689b900d3',
    activeProvider: 'postgresql',
    inlineSchema:
      'generator client {\n  provider = "prisma-client"\n  output   = "../generated"\n}\n\ndatasource db {\n  provider = "postgresql"\n}\n',
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => load(`${compiler}.mjs`),
      getQueryCompilerWasmModule: async () => {
        const { wasm } = await load(`${compiler}.wasm-base64.mjs`);
        return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
      },
      importName: './query_compiler_fast_bg.js',
    },
  });
  return new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
}
