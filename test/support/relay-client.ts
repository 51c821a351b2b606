import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type ConcreteRequest,
  createOperationDescriptor,
  Environment,
  getPaginationMetadata,
  getPaginationVariables,
  getRefetchMetadata,
  getSingularSelector,
  Network,
  type OperationType,
  type ReaderFragment,
  RecordSource,
  type SingularReaderSelector,
  Store,
} from 'relay-runtime';
import { compatibilityFolder } from './compatibility.js';
import { temporaryFolder } from './temporary-folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles the GraphQL of an application with Relay's compiler and schema.graphql. */
export class RelayApp {
  readonly #load: NodeJS.Require;

  private constructor(folder: string) {
    this.#load = createRequire(join(folder, 'generated', 'index.js'));
  }

  /** @param source of the module App.js @throws Error with what the compiler says, when it refuses schema or source */
  static async compile(source: string): Promise<RelayApp> {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, 'generated'));
    copyFileSync(join(root, 'schema.graphql'), join(folder, 'schema.graphql'));
    writeFileSync(join(folder, 'src', 'App.js'), source);
    writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}');
    const config = {
      src: './src',
      schema: './schema.graphql',
      language: 'javascript',
      eagerEsModules: false,
      artifactDirectory: './generated',
    };
    writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
    const compiler = join(compatibilityFolder, 'node_modules', '.bin', 'relay-compiler');
    await promisify(execFile)(compiler, ['relay.config.json'], { cwd: folder });
    return new RelayApp(folder);
  }

  query(name: string): ConcreteRequest {
    return this.#load(`./${name}.graphql.js`);
  }

  fragment(name: string): ReaderFragment {
    return this.#load(`./${name}.graphql.js`);
  }
}

type Variables = OperationType['variables'];

/** Relay's store over a GraphQL endpoint, used as its React hooks use it. */
export class RelayClient {
  readonly #environment: Environment;

  /** @param send answers with the JSON of a response */
  constructor(send: (query: string, variables: Variables) => Promise<never>) {
    this.#environment = new Environment({
      network: Network.create(({ text }, variables) => send(text!, variables)),
      store: new Store(new RecordSource()),
    });
  }

  /** @returns what the query itself selects, with references to its fragments */
  async ask(request: ConcreteRequest, variables: Variables): Promise<Record<string, unknown>> {
    const operation = createOperationDescriptor(request, variables);
    this.#environment.retain(operation);
    await this.#environment.execute({ operation }).toPromise();
    return this.#environment.lookup(operation.fragment).data as Record<string, unknown>;
  }

  /** The data of a fragment, like usePaginationFragment. */
  read(fragment: ReaderFragment, object: unknown): Record<string, unknown> {
    return this.#environment.lookup(this.#selectorOf(fragment, object)).data as Record<string, unknown>;
  }

  /** Like `loadNext` of usePaginationFragment: by the id of the object, with the compiled query. */
  async loadNext(fragment: ReaderFragment, object: unknown, count: number): Promise<void> {
    const { paginationRequest, paginationMetadata, connectionPathInFragmentData } = getPaginationMetadata(
      fragment,
      'usePaginationFragment',
    );
    const { identifierInfo } = getRefetchMetadata(fragment, 'usePaginationFragment');
    const data = this.read(fragment, object);
    const connection = connectionPathInFragmentData.reduce<unknown>(
      (value, step) => (value as Record<string | number, unknown>)[step],
      data,
    ) as { pageInfo: { endCursor: string } };
    const { variables } = this.#selectorOf(fragment, object);
    const { endCursor } = connection.pageInfo;
    await this.ask(paginationRequest, {
      ...getPaginationVariables('forward', count, endCursor, variables, {}, paginationMetadata),
      id: data[identifierInfo!.identifierField],
    });
  }

  /** The type of the object that the store has under an id. */
  typeOf(id: string): string | undefined {
    return this.#environment.getStore().getSource().get(id)?.['__typename'] as string | undefined;
  }

  #selectorOf(fragment: ReaderFragment, object: unknown): SingularReaderSelector {
    return getSingularSelector(fragment, object)!;
  }
}
