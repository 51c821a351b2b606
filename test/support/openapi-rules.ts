import { type Json, objectsIn, resolveIn } from './openapi-document.js';

/**
 * What makes generators of clients fail, or makes their clients wrong or hard to read. The rules are those of
 * openapi-generator and oapi-codegen for Go, the strictest of the usual languages, and of readers.
 *
 * @returns a sentence for each broken rule
 */
export function complaintsAbout(document: Json): string[] {
  return [
    ...namesThatCollide(document),
    ...[...objectsIn(document.components), ...objectsIn(document.paths)].flatMap(integersAmiss),
    ...[
      ...objectsIn(document.components),
      ...operationsOf(document).flatMap(({ parameters = [] }) => parameters),
    ].flatMap((one) => keywordsAmiss(one)),
    ...operationsOf(document).flatMap((operation) => operationAmiss(document, operation)),
    ...undescribed(document),
  ];
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

function operationsOf({ paths, webhooks }: Json): Json[] {
  return [...Object.values(paths as Json), ...Object.values(webhooks as Json)].flatMap((item: Json) =>
    Object.entries<Json>(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([, operation]) => operation),
  );
}

/** A name as generators write it in Go: `read_it-now` is `ReadItNow`. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Generated Go has one package: every type, constructor and operation is a name in it. */
function namesThatCollide(document: Json): string[] {
  const { schemas, parameters, responses } = document.components;
  const tags = (document.tags as Json[]).map(({ name }) => pascal(name));
  const names = [
    ...Object.keys(schemas)
      .map(pascal)
      .flatMap((name) => [name, `New${name}`, `New${name}WithDefaults`, `Nullable${name}`, `NewNullable${name}`]),
    ...[...Object.keys(parameters), ...Object.keys(responses)].map(pascal),
    ...operationsOf(document).flatMap(({ operationId }) => {
      const id = pascal(operationId);
      const types = ['Params', 'JSONRequestBody', 'Response', 'Request'].map((end) => `${id}${end}`);
      return [id, ...types, `New${id}Request`, `New${id}RequestWithBody`, `Parse${id}Response`, `Api${id}Request`];
    }),
    ...tags.flatMap((tag) => [`${tag}API`, `${tag}APIService`]),
    ...['Client', 'ClientInterface', 'ClientOption', 'Configuration', 'APIClient', 'APIResponse', 'NewClient'],
  ];
  return [
    ...names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name)).map((name) => `${name} is not a name in Go`),
    ...names.filter((name, at) => names.indexOf(name) < at).map((name) => `${name} is the name of two things`),
  ];
}

/** Without a format an integer is an int32 in some languages, and an id is larger than that. */
function integersAmiss(one: Json): string[] {
  if (one.type !== 'integer') {
    return [];
  }
  const { format, minimum, maximum = Number.POSITIVE_INFINITY } = one;
  const isRight =
    (format === 'int64' && minimum >= 0 && maximum === Number.MAX_SAFE_INTEGER) || (format === 'int32' && minimum >= 0);
  return isRight ? [] : [`an integer without the right format and bounds: ${JSON.stringify(one)}`];
}

/** Some generators make empty types of unions, and wrong Python of `const`; payloads may have both. */
function keywordsAmiss(one: Json): string[] {
  return ['anyOf', 'oneOf', 'const'].flatMap((keyword) =>
    [one, one.schema ?? {}].some((schema) => keyword in schema) ? [`${keyword} in ${JSON.stringify(one)}`] : [],
  );
}

function operationAmiss(document: Json, { operationId, summary, tags, responses, security }: Json): string[] {
  const complaints: string[] = [];
  const complain = (isWrong: boolean, why: string) => isWrong && complaints.push(`${operationId}: ${why}`);
  complain(!/^[a-z]+[A-Z][A-Za-z0-9_]*$/.test(operationId), 'no name of a method');
  complain(!/^[A-Z].*\w$/.test(summary), 'no summary');
  complain(!(document.tags as Json[]).some(({ name }) => name === tags?.[0]), 'no tag that the document describes');
  if (security?.length === 0) {
    return complaints; // a receiver answers with what it likes
  }
  for (const [status, response] of Object.entries<Json>(responses)) {
    const { content, headers, description } = response.$ref ? resolveIn(document, response.$ref) : response;
    const isError = Number(status) >= 400;
    const schema = content?.['application/problem+json']?.schema.$ref;
    complain(isError && schema !== '#/components/schemas/Problem', `${status} is not a problem`);
    complain(!description, `${status} without a description`);
    complain(headers?.['X-Request-Id'] === undefined, `${status} without X-Request-Id`);
    complain(['429', '503'].includes(status) && !headers?.['Retry-After'], `${status} without Retry-After`);
    complain(status === '201' && !headers?.['Location'], '201 without Location');
  }
  complain(!('401' in responses && '500' in responses), 'not all errors');
  return complaints;
}

/** Descriptions are the comments of generated code. */
function undescribed({ components, paths }: Json): string[] {
  const properties = Object.entries<Json>(components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries<Json>(properties).map(([property, schema]): [string, Json] => [`${name}.${property}`, schema]),
  );
  const parameters = [...objectsIn(paths), ...Object.values<Json>(components.parameters)]
    .filter((one) => typeof one.in === 'string')
    .map((one): [string, Json] => [`parameter ${one.name}`, one]);
  const all = [
    ...Object.entries<Json>(components.schemas),
    ...Object.entries<Json>(components.headers),
    ...properties,
    ...parameters,
  ];
  return all.filter(([, { description, $ref }]) => !description && !$ref).map(([name]) => `${name} has no description`);
}
