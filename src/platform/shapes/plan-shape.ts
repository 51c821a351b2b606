import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { PlannedField } from '../../domain/content/shape/project.js';
import { EVENT, EVENT_FIELDS, PREVIOUS_FIELD } from '../../domain/content/shape/schema-types.js';
import { DEPTH_MAX, FIELDS_MAX } from './shape-document.js';

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
type Parent = GraphQLObjectType | GraphQLInterfaceType;

/** A property is in the result at most this often: what it has may be large. */
const USES_MAX = 2;

/** Plans what the events of one type become. @throws GraphQLError with its location */
export function planFields(set: SelectionSetNode, parent: Parent, fragments: Fragments): PlannedField[] {
  return new Planner(fragments).plan([set], parent, [], 1);
}

/** The fields under one key of the result. */
interface Collected {
  readonly key: string;
  readonly nodes: [FieldNode, ...FieldNode[]];
}

class Planner {
  #fieldsLeft = FIELDS_MAX;
  /** How often the result has each path of the event. */
  readonly #uses = new Map<string, number>();

  constructor(private readonly fragments: Fragments) {}

  plan(sets: readonly SelectionSetNode[], parent: Parent, path: readonly string[], depth: number): PlannedField[] {
    const collected = new Map<string, Collected>();
    const visited = new Set<string>();
    for (const { selections } of sets) {
      this.#collect(selections, parent, collected, visited);
    }
    return [...collected.values()].map(({ key, nodes }) => {
      const [node] = nodes;
      const name = node.name.value;
      this.#count(node, [...path, name]);
      if (depth > DEPTH_MAX) {
        throw new GraphQLError(`The fields are more than ${DEPTH_MAX} levels deep.`, { nodes: node });
      }
      if (name === '__typename') {
        return { key, typename: isObjectType(parent) ? parent.name : null };
      }
      const { type, extensions } = parent.getFields()[name]!;
      const event = ([...EVENT_FIELDS, PREVIOUS_FIELD] as const).find((one) => one === name);
      const { property } = extensions as { property?: string };
      const inner = getNamedType(type);
      const below = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
      const fields = isObjectType(inner) ? { fields: this.plan(below, inner, [...path, name], depth + 1) } : {};
      return event !== undefined && property === undefined
        ? { key, event, ...fields }
        : { key, property: property!, ...fields };
    });
  }

  /** Follows GraphQL's own rule (CollectFields). */
  #collect(
    selections: readonly SelectionNode[],
    parent: Parent,
    collected: Map<string, Collected>,
    visited: Set<string>,
  ): void {
    for (const node of selections.filter(({ directives }) => isIncluded(directives))) {
      if (node.kind === Kind.FIELD) {
        this.#add(node, collected);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD && visited.has(node.name.value)) {
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value)! : node;
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        visited.add(node.name.value);
      }
      const on = fragment.typeCondition?.name.value ?? parent.name;
      if (on === parent.name || on === EVENT) {
        this.#collect(fragment.selectionSet.selections, parent, collected, visited);
      }
    }
  }

  #add(node: FieldNode, collected: Map<string, Collected>): void {
    this.#fieldsLeft -= 1;
    if (this.#fieldsLeft < 0) {
      const message = `A shape has at most ${FIELDS_MAX} fields, with its fragments written out.`;
      throw new GraphQLError(message, { nodes: node });
    }
    const key = (node.alias ?? node.name).value;
    const others = collected.get(key)?.nodes;
    if (node.alias !== undefined && key.startsWith('__')) {
      throw new GraphQLError(`The name "${key}" is GraphQL's own: no name begins with "__".`, { nodes: node.alias });
    }
    if (others !== undefined && others[0].name.value !== node.name.value) {
      const message = `"${key}" stands for two fields: give one of them another name, such as "${key}2: ${node.name.value}".`;
      throw new GraphQLError(message, { nodes: node });
    }
    if (others === undefined) {
      collected.set(key, { key, nodes: [node] });
    } else {
      others.push(node);
    }
  }

  #count(node: FieldNode, path: readonly string[]): void {
    const key = path.join('.');
    const uses = (this.#uses.get(key) ?? 0) + 1;
    this.#uses.set(key, uses);
    if (uses > USES_MAX) {
      throw new GraphQLError(`The result has "${key}" more than ${USES_MAX} times.`, { nodes: node });
    }
  }
}

/** The conditions are literals: a shape has no variables. */
const isIncluded = (directives: readonly DirectiveNode[] = []): boolean =>
  directives.every(({ name, arguments: [condition] = [] }) => {
    const value = condition?.value.kind === Kind.BOOLEAN && condition.value.value;
    return name.value === 'skip' ? !value : value;
  });
