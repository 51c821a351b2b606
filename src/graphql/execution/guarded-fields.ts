import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Requirement, requirementOf } from '../fields/requires.js';
import { fragmentsOf } from '../fields/selection.js';

/** A field of an operation that requires something of the request. */
export interface GuardedField {
  /** As `Webhook.deliveries`. */
  name: string;
  node: FieldNode;
  requirement: Requirement;
}

/**
 * The guarded fields that an operation would run, each once.
 *
 * @returns also whether they are the same for each request: `@skip` and `@include` make them differ
 */
export function guardedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): { fields: readonly GuardedField[]; areFixed: boolean } {
  const conditions = new SkipAndInclude(schema, operation, variables);
  const fields = collect(schema, document, operation, conditions);
  return { fields, areFixed: !conditions.met };
}

function collect(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: SkipAndInclude,
): GuardedField[] {
  const found = new Map<string, GuardedField>();
  const types = new TypeInfo(schema);
  const fragments = new Set<string>();
  const enter = (node: ASTNode) => {
    if (!isSelection(node)) {
      return undefined;
    }
    if (conditions.leaveOut(node)) {
      return false;
    }
    const field = node.kind === Kind.FIELD ? types.getFieldDef() : null;
    const requirement = field ? requirementOf(field) : undefined;
    if (node.kind === Kind.FIELD && requirement !== undefined) {
      const name = `${types.getParentType()?.name}.${node.name.value}`;
      found.set(name, found.get(name) ?? { name, node, requirement });
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      fragments.add(node.name.value);
    }
    return undefined;
  };
  visit(operation, visitWithTypeInfo(types, { enter }));
  // A set is walked in the order of its growth: fragments that are met within fragments get their turn too.
  const known = fragmentsOf(document);
  for (const name of fragments) {
    const fragment = known.get(name);
    if (fragment !== undefined) {
      visit(fragment, visitWithTypeInfo(types, { enter }));
    }
  }
  return [...found.values()];
}

/** What `@skip` and `@include` say of a selection. */
class SkipAndInclude {
  /** Whether there are any at all. */
  met = false;
  #values: Record<string, unknown> | undefined;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly operation: OperationDefinitionNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  leaveOut(node: SelectionNode): boolean {
    if (node.directives === undefined || node.directives.length === 0) {
      return false;
    }
    this.met = true;
    const values = this.#read();
    if (values === null) {
      return true;
    }
    try {
      return (
        getDirectiveValues(GraphQLSkipDirective, node, values)?.['if'] === true ||
        getDirectiveValues(GraphQLIncludeDirective, node, values)?.['if'] === false
      );
    } catch (error) {
      // A null where a variable has a default: the execution would notice below a root field, after its effect.
      const extensions = { code: 'BAD_USER_INPUT', http: { status: 400 } };
      throw new GraphQLError((error as Error).message, { nodes: node, extensions });
    }
  }

  /** Null for variables that do not fit: the operation will not run then. */
  #read(): Record<string, unknown> | null {
    const definitions = this.operation.variableDefinitions ?? [];
    this.#values ??= getVariableValues(this.schema, definitions, this.variables, { maxErrors: 1 }).coerced;
    return this.#values ?? null;
  }
}

function isSelection(node: ASTNode): node is SelectionNode {
  return node.kind === Kind.FIELD || node.kind === Kind.FRAGMENT_SPREAD || node.kind === Kind.INLINE_FRAGMENT;
}
