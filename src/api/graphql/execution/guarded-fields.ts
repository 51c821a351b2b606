import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { refusalOf } from '../fields/errors.js';
import { type Requirement, requirementOf } from '../fields/requires.js';
import { fragmentsOf } from '../fields/selection.js';
import { withDefaults } from './variables.js';

export interface GuardedField {
  /** Type and field, such as `Webhook.deliveries`. */
  name: string;
  node: FieldNode;
  requirement: Requirement;
}

/**
 * The fields with a requirement that an operation runs, each once.
 *
 * @returns `areFixed`: whether they are the same for all variables, that is, without `@skip` and `@include`
 */
export function guardedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>> = {},
): { fields: readonly GuardedField[]; areFixed: boolean } {
  const found = new Map<string, GuardedField>();
  const types = new TypeInfo(schema);
  const spread = new Set<string>();
  const variables = withDefaults(operation, given);
  let areFixed = true;
  const enter = (node: ASTNode) => {
    if (node.kind !== Kind.FIELD && node.kind !== Kind.FRAGMENT_SPREAD && node.kind !== Kind.INLINE_FRAGMENT) {
      return undefined;
    }
    if (node.directives !== undefined && node.directives.length > 0) {
      areFixed = false;
      if (isLeftOut(node, variables)) {
        return false;
      }
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      spread.add(node.name.value);
    }
    const field = node.kind === Kind.FIELD ? types.getFieldDef() : null;
    const requirement = field ? requirementOf(field) : undefined;
    if (node.kind === Kind.FIELD && requirement !== undefined) {
      const name = `${types.getParentType()?.name}.${node.name.value}`;
      found.set(name, found.get(name) ?? { name, node, requirement });
    }
    return undefined;
  };
  visit(operation, visitWithTypeInfo(types, { enter }));
  const fragments = fragmentsOf(document);
  for (const name of spread) {
    // The set grows while it is iterated, when a fragment spreads another one.
    visit(fragments.get(name)!, visitWithTypeInfo(types, { enter }));
  }
  return { fields: [...found.values()], areFixed };
}

function isLeftOut(node: SelectionNode, variables: Record<string, unknown>): boolean {
  try {
    return (
      getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true ||
      getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false
    );
  } catch (error) {
    // A variable with a default was null. Execution would notice that only after the root field has taken effect.
    throw refusalOf('BAD_USER_INPUT', (error as Error).message);
  }
}
