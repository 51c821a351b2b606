import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';

const HEAD = `# GraphQL reference

Every query, mutation, subscription and type, printed from the schema by \`npm run schema\`. The guide is
[graphql.md](graphql.md); requests to copy are in [graphql-examples.md](graphql-examples.md).

Lists are connections: \`WebhookConnection\` has \`edges { cursor node }\` of \`Webhook\` and \`pageInfo\`. Their arguments
\`first\`, \`after\`, \`last\` and \`before\` are left out here ([Lists](graphql.md#lists)).
`;

const PAGING = ['first', 'after', 'last', 'before'];
const isPage = (name: string) => /(Connection|Edge)$/.test(name);
const byName = <T extends { name: string }>(all: Iterable<T>) => [...all].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The page docs/graphql-reference.md, from the text of schema.graphql. */
export function graphqlReference(sdl: string): string {
  const schema = buildSchema(sdl);
  const operations = {
    Queries: schema.getQueryType(),
    Mutations: schema.getMutationType(),
    Subscriptions: schema.getSubscriptionType(),
  };
  const roots: unknown[] = Object.values(operations);
  const types = byName(Object.values(schema.getTypeMap())).filter(
    (type) =>
      !type.name.startsWith('__') && !roots.includes(type) && !isSpecifiedScalarType(type) && !isPage(type.name),
  );
  const section = (title: string, own: readonly GraphQLNamedType[]) =>
    [`## ${title}\n`, ...own.map((type) => `### ${type.name}\n\n${text(type.description)}${table(type)}`)].join('\n');
  const scalars = types.filter(isScalarType).map((type) => [code(type.name), cell(type.description)]);
  return [
    HEAD,
    ...Object.entries(operations).map(([title, type]) => `## ${title}\n\n${fields(type?.getFields() ?? {})}`),
    section(
      'Objects',
      types.filter((type) => isObjectType(type) || isInterfaceType(type)),
    ),
    section('Inputs', types.filter(isInputObjectType)),
    section('Enums', types.filter(isEnumType)),
    `## Scalars\n\n${rows(['scalar', 'meaning'], scalars)}`,
  ].join('\n');
}

function table(type: GraphQLNamedType): string {
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => [code(value.name), cell(value.description)]);
    return rows(['value', 'meaning'], values);
  }
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  return hasFields ? fields(type.getFields()) : '';
}

type Field = GraphQLField<unknown, unknown> | GraphQLInputField;

function fields(all: Record<string, Field>): string {
  return rows(
    ['field', 'type', 'meaning'],
    byName(Object.values(all)).map((field) => [
      code(field.name + signature('args' in field ? field.args : [])),
      typeLink(field),
      cell(field.description),
    ]),
  );
}

function signature(args: readonly GraphQLArgument[]): string {
  const own = args.filter(({ name }) => !PAGING.includes(name)).map(({ name, type }) => `${name}: ${type}`);
  return own.length === 0 ? '' : `(${own.join(', ')})`;
}

/** A type of this page is a link to its heading, a connection to that of its objects. */
function typeLink({ type }: Field): string {
  const named = getNamedType(type);
  const heading = named.name.replace(/Connection$/, '').toLowerCase();
  return isScalarType(named) ? code(String(type)) : `[\`${type}\`](#${heading})`;
}

const code = (name: string) => `\`${name}\``;
const text = (description: string | null | undefined) => (description ? `${description}\n\n` : '');
const cell = (description: string | null | undefined) =>
  (description ?? '').replaceAll(/\n- /g, '<br>').replaceAll('\n', ' ').replaceAll('|', '\\|');

const rows = (heads: readonly string[], lines: readonly (readonly string[])[]) =>
  [heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |\n`).join('');
