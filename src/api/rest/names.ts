import { snakeCase } from '../../domain/text/snake-case.js';

/** The names of REST that differ from those of GraphQL by more than their spelling. */
const OTHERWISE = {
  databaseId: 'id',
  eventTypes: 'events',
  eventType: 'event',
  first: 'limit',
  after: 'cursor',
} as const;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** `lastSuccessAt` is `last_success_at`. */
export type RestName<Name> = Name extends keyof typeof OTHERWISE
  ? (typeof OTHERWISE)[Name]
  : Name extends string
    ? Snake<Name>
    : never;

export function restName(name: string): string {
  const otherwise: Record<string, string> = OTHERWISE;
  return otherwise[name] ?? snakeCase(name);
}

/** The same for a step of a path, which may be an index. */
export const restStep = (step: string | number) => (typeof step === 'string' ? restName(step) : step);

/** `last_success_at` is `lastSuccessAt`. */
export function graphqlName(name: string): string {
  const found = Object.entries(OTHERWISE).find(([, inRest]) => inRest === name);
  return found?.[0] ?? name.replaceAll(/_[a-z]/g, (match) => match.slice(1).toUpperCase());
}
