import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin, parseSync, runnerImport } from 'vite';

const root = dirname(dirname(import.meta.dirname));

/** Comments may come before it. */
const STATEMENT =
  /^(\s|--.*\n)*(select\b|with\s+(recursive )?\w+ ?(\(|as )|insert into\s|update \w|delete from\s|merge into\s|values\s*\()/;
/** It names a table or a function of ours, or compares a column. (A setting is a name without anything around it.) */
const PART =
  /\s.*\bhookwright(_jobs)?\.\w|\bhookwright(_jobs)?\.\w.*\s|\b\w+\.\w+ (=|<>|<=?|>=?|is (not )?(null|true|distinct)) /;
/** What Postgres cannot prepare. */
const UTILITY = /^\s*(alter|create|do|drop|grant|lock|revoke) /;

/** Whether Postgres can prepare it. */
export const isStatement = (text: string) => STATEMENT.test(text);

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** A string or a template of the sources with SQL in it. */
interface Literal {
  node: Node;
  /** Its texts, between the values that are put into it. */
  texts: string[];
  /** The texts of strings in these values. */
  inner: string[];
}

interface Source {
  code: string;
  /** The names that the module declares. */
  names: string[];
  literals: Literal[];
}

export interface SqlLiteral extends Omit<Literal, 'node'> {
  /** The file and the line. */
  place: string;
  /** Undefined: it is a part of a statement, or a function puts values of its own into it. */
  statement: string | undefined;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

function textsOf({ type, value, quasis }: Node): string[] {
  if (type === 'TemplateLiteral') {
    return (quasis as { value: { cooked: string } }[]).map((quasi) => quasi.value.cooked);
  }
  return type === 'Literal' && typeof value === 'string' ? [value] : [];
}

/** Without the strings that a condition compares something with. */
const innerTextsOf = (node: Node): string[] =>
  childrenOf(node)
    .filter(() => node.type !== 'BinaryExpression' || node['operator'] === '+')
    .flatMap((child) => [...textsOf(child), ...innerTextsOf(child)]);

function literalsIn(node: Node): Literal[] {
  const texts = textsOf(node);
  const isSql = isStatement(texts[0] ?? '') || texts.some((text) => PART.test(text));
  return isSql && !UTILITY.test(texts[0]!)
    ? [{ node, texts, inner: innerTextsOf(node) }]
    : childrenOf(node).flatMap(literalsIn);
}

function namesIn(statement: Node): string[] {
  const {
    type,
    id,
    declarations = [],
    declaration,
  } = statement as Node & {
    id?: { name: string };
    declarations?: { id: { name?: string } }[];
    declaration?: Node | null;
  };
  const own = [id?.name, ...declarations.map((each) => each.id.name)].filter((name) => name !== undefined);
  return [...(/^TS(Interface|TypeAlias)/.test(type) ? [] : own), ...(declaration ? namesIn(declaration) : [])];
}

function sourceOf(file: string): Source {
  const code = readFileSync(join(root, file), 'utf8');
  const body = parseSync(file, code).program.body as unknown as Node[];
  return { code, names: body.flatMap(namesIn), literals: body.flatMap(literalsIn) };
}

const ALL = '\0all';

/** Modules that also export all their names, and for each literal a function that returns its value. */
const openModules = (sources: ReadonlyMap<string, Source>): Plugin => ({
  name: 'open-modules',
  enforce: 'pre',
  resolveId: (id) => (id === ALL ? id : undefined),
  load: (id) =>
    id === ALL
      ? [...sources.keys()].map((file, index) => `export * as m${index} from '${join(root, file)}';`).join('\n')
      : undefined,
  transform(_code, id) {
    const { code, names, literals } = sources.get(id.slice(root.length + 1)) ?? {};
    const makers = literals?.map(({ node }) => `() => ${code?.slice(node.start, node.end)}`);
    return names && `${code}\nexport const opened = { values: [${names}], makers: [${makers}] };\n`;
  },
});

/**
 * Reads the SQL in all files of the product.
 *
 * @returns its literals, and the statements among the constants of modules
 */
export async function readSql(): Promise<{ literals: SqlLiteral[]; constants: string[] }> {
  const files = globSync('{src,daemon}/**/*.ts', { cwd: root }).sort();
  const sources = new Map(
    files.map((file) => [file, sourceOf(file)] as const).filter(([, { literals }]) => literals.length > 0),
  );
  const { module } = await runnerImport<Record<string, { opened: { values: unknown[]; makers: (() => string)[] } }>>(
    ALL,
    {
      configFile: false,
      root,
      logLevel: 'error',
      plugins: [openModules(sources)],
    },
  );
  const opened = [...sources].map(([file, source], index) => ({ file, ...source, ...module[`m${index}`]!.opened }));
  return {
    constants: opened.flatMap(({ values }) => statementsIn(values)),
    literals: opened.flatMap(({ file, code, literals, makers }) =>
      literals.map(({ node, ...literal }, index) => ({
        ...literal,
        place: `${file}:${code.slice(0, node.start).split('\n').length}`,
        statement: isStatement(literal.texts[0]!) ? resultOf(makers[index]!) : undefined,
      })),
    ),
  };
}

function resultOf(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Texts, and texts in objects. */
function statementsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return isStatement(value) ? [value] : [];
  }
  const isPlain = [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value ?? 0));
  return isPlain ? Object.values(value as object).flatMap(statementsIn) : [];
}
