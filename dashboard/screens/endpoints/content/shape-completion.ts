/** The fields of each type of a schema, with the type that each one has. */
export type SchemaTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

const DESCRIPTION = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g;
const TYPE = /^(?:type|interface) (\w+)([^{]*)\{([^}]*)\}/gm;
const FIELD = /(\w+)(?:\([^)]*\))?: \[*(\w+)/g;

/** Reads a printed schema. Types that implement `Event` are listed as its fields too, each as `... on Type`. */
export function typesIn(schema: string): SchemaTypes {
  const types = new Map<string, Map<string, string>>();
  const branches: string[] = [];
  for (const [, name = '', implemented = '', body = ''] of schema.replaceAll(DESCRIPTION, '').matchAll(TYPE)) {
    types.set(name, new Map([...body.matchAll(FIELD)].map(([, field = '', type = '']) => [field, type])));
    if (/\bEvent\b/.test(implemented)) {
      branches.push(name);
    }
  }
  for (const name of branches) {
    types.get('Event')?.set(`${BRANCH}${name}`, name);
  }
  return types;
}

const BRANCH = '... on ';
const TOKEN = /\.\.\.\s*on\s+\w+|\w+|[{}]/g;
/** What is being typed: a name, or the beginning of a branch. */
const BEGUN = /(?:\.\.\.\s*(?:on\s+)?)?\w*$/;

export interface Completions {
  /** Where the typed beginning starts; it ends at the caret. */
  start: number;
  names: readonly string[];
}

/** What a shape may have at the caret: the fields of the type around it that begin as it is typed. */
export function completionsAt(types: SchemaTypes, text: string, caret: number): Completions {
  const before = text.slice(0, caret);
  const start = caret - (BEGUN.exec(before)?.[0].length ?? 0);
  const fields = types.get(typeAround(types, text.slice(0, start)) ?? '');
  const begun = text.slice(start, caret).replace(/^\.\.\.\s*(?:on\s*)?/, BRANCH);
  const names = [...(fields?.keys() ?? [])].filter((name) => name.startsWith(begun) && name !== begun);
  return { start, names };
}

/** The type whose fields are chosen at the end of a text. */
function typeAround(types: SchemaTypes, text: string): string | undefined {
  const around: (string | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '}') {
      around.pop();
    } else if (token === '{') {
      const [, branch] = /on\s+(\w+)$/.exec(last) ?? [];
      around.push(around.length === 0 ? 'Subscription' : (branch ?? types.get(around.at(-1) ?? '')?.get(last)));
    } else {
      last = token;
    }
  }
  return around.at(-1);
}
