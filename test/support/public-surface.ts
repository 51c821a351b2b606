import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/api/rest/openapi.js';
import { errorCatalogue } from '../../src/errors.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { resolveIn } from './openapi-document.js';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any;

/** What people's programs and settings rely on (docs/versions.md, "Public"). */
export interface PublicSurface {
  graphql: string;
  /** What REST answers, and what it takes: a line for each. */
  answers: string[];
  inputs: string[];
  /** The default of each. */
  settings: Record<string, string>;
  metrics: string[];
  exitCodes: string[];
  errorCodes: string[];
}

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

export function publicSurface(): PublicSurface {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)];
  const metrics = matches(read('docs/operate.md'), /^\| (`hookwright_.*?) \| /gm).join();
  return {
    graphql: read('schema.graphql'),
    ...restSurface(openApiDocument(readConfig({}), [])),
    settings: Object.fromEntries(rows.map(([, name, fallback]) => [name, fallback])),
    metrics: matches(metrics, /(hookwright_\w+)/g),
    exitCodes: matches(read('docs/install.md'), /^\| (\d+) \| /gm),
    errorCodes: Object.keys(errorCatalogue),
  };
}

/** A line for each answer and field, and for each parameter and field of a body. */
function restSurface(document: Json): Pick<PublicSurface, 'answers' | 'inputs'> {
  const follow = (value: Json): Json => (value?.$ref === undefined ? value : resolveIn(document, value.$ref));
  const answers: string[] = [];
  const inputs: string[] = [];
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    const shared: Json[] = operations.parameters ?? [];
    for (const [method, operation] of Object.entries<Json>(operations)) {
      if (operation.responses === undefined) {
        continue;
      }
      const name = `${method.toUpperCase()} ${path}`;
      answers.push(name);
      for (const parameter of [...shared, ...(operation.parameters ?? [])].map(follow)) {
        inputs.push(`${name}: ${parameter.in} ${parameter.name}${parameter.required ? ' (required)' : ''}`);
      }
      for (const { schema } of Object.values<Json>(follow(operation.requestBody)?.content ?? {})) {
        inputs.push(...fieldsOf(schema, follow, true).map((field) => `${name}: body${field}`));
      }
      for (const [status, answer] of Object.entries<Json>(operation.responses)) {
        answers.push(`${name}: ${status}`);
        for (const { schema } of Object.values<Json>(follow(answer).content ?? {})) {
          answers.push(...fieldsOf(schema, follow, false).map((field) => `${name}: ${status}${field}`));
        }
      }
    }
  }
  return { answers: [...new Set(answers)], inputs: [...new Set(inputs)] };
}

function fieldsOf(schema: Json, follow: (value: Json) => Json, isInput: boolean, seen: readonly Json[] = []): string[] {
  const of = follow(schema);
  if (of === undefined || seen.includes(of)) {
    return [];
  }
  const parts: Json[] = [of.allOf, of.anyOf, of.oneOf].flatMap((list) => list ?? []);
  const own = Object.entries<Json>(of.properties ?? {}).flatMap(([name, value]) => {
    const isRequired = (of.required ?? []).includes(name);
    // A field that answers always have must stay so; one that inputs may leave out, too.
    const mark = isInput === isRequired ? (isInput ? ' (required)' : '?') : '';
    const type = [follow(value).type ?? []].flat().join('|');
    const inner = fieldsOf(value, follow, isInput, [...seen, of]).map((field) => `.${name}${field}`);
    return [`.${name}${mark} ${type}`, ...inner];
  });
  const items = of.items === undefined ? [] : fieldsOf(of.items, follow, isInput, [...seen, of]).map((f) => `[]${f}`);
  return [...own, ...items, ...parts.flatMap((part) => fieldsOf(part, follow, isInput, [...seen, of]))];
}
