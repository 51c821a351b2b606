import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  printSchema,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import type { ShapePlan } from '../../domain/content/shape/project.js';
import { EVENT, eventObjectTypes, shapeTypeNames } from '../../domain/content/shape/schema-types.js';
import { shapeSchema } from './graphql-schema.js';
import { planFields } from './plan-shape.js';
import { readDocument } from './shape-document.js';

/** An event type of the registry. */
export interface KnownType {
  readonly name: string;
  readonly description: string;
  /** The JSON text of its schema. */
  readonly schema: string;
}

interface ShapeFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const FAULTS_MAX = 20;
/** Types are made of the schemas of all event types that a shape names: of so many characters in some 40 ms. */
const SCHEMA_CHARS_MAX = 524_288;

/**
 * Two branches may use one key for fields of different types: an event has one type. The planner compares the fields
 * of each, and takes less time.
 */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/**
 * Reads a shape: a subscription over the types that are made from the schemas of event types.
 *
 * @param known all event types, in the order of their names
 */
export function readShape(text: string, known: readonly KnownType[]): { plan: ShapePlan } | { faults: ShapeFault[] } {
  try {
    const document = readDocument(text);
    const conditions = conditionsIn(document);
    const wanted = wantedOf(known, (_, typeName) => conditions.has(typeName));
    if (wanted.types.reduce((sum, type) => sum + type.schema.length, 0) > SCHEMA_CHARS_MAX) {
      const message = `The event types of the shape have schemas of more than ${SCHEMA_CHARS_MAX} characters together. Name fewer types, in shapes of several webhooks.`;
      throw new GraphQLError(message, { nodes: document });
    }
    const schema = schemaOf(wanted);
    const errors = validate(schema, document, rules, { maxErrors: FAULTS_MAX });
    return errors.length > 0
      ? { faults: errors.slice(0, FAULTS_MAX).map(faultOf) }
      : { plan: planOf(document, schema) };
  } catch (error) {
    if (error instanceof GraphQLError) {
      return { faults: [faultOf(error)] };
    }
    throw error;
  }
}

/** The schema that shapes for events of these types are written with, in GraphQL's own language. */
export const printShapeSchema = (names: readonly string[], known: readonly KnownType[]): string =>
  printSchema(schemaOf(wantedOf(known, (name) => names.includes(name))));

interface Wanted {
  types: readonly KnownType[];
  /** The names of all event types, not only of these. */
  typeNames: ReadonlyMap<string, string>;
}

/** @param isWanted by the names of an event type and of its type */
function wantedOf(known: readonly KnownType[], isWanted: (name: string, typeName: string) => boolean): Wanted {
  const typeNames = shapeTypeNames(known.map(({ name }) => name));
  return { types: known.filter(({ name }) => isWanted(name, typeNames.get(name)!)), typeNames };
}

function schemaOf({ types, typeNames }: Wanted): GraphQLSchema {
  const parsed = types.map(({ schema, ...type }) => ({ ...type, schema: JSON.parse(schema) }));
  return shapeSchema(eventObjectTypes(parsed, typeNames));
}

function conditionsIn(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>();
  visit(document, { NamedType: (node) => void names.add(node.name.value) });
  return names;
}

function planOf({ definitions }: DocumentNode, schema: GraphQLSchema): ShapePlan {
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const operation = definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)!;
  const { selectionSet } = operation.selectionSet.selections[0] as FieldNode;
  const event = schema.getType(EVENT) as GraphQLInterfaceType;
  const { objects } = schema.getImplementations(event);
  return {
    types: Object.fromEntries(
      objects.map((type) => [String(type.extensions['eventType']), planFields(selectionSet!, type, fragments)]),
    ),
    otherwise: planFields(selectionSet!, event, fragments),
  };
}

const faultOf = ({ message, locations }: GraphQLError): ShapeFault => ({
  ...(locations?.[0] ?? { line: 1, column: 1 }),
  message: message.replace(/^Syntax Error: /, ''),
});
