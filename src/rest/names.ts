/** Fields that REST calls otherwise than GraphQL, by their names there. */
const OTHERWISE = { databaseId: 'id', eventTypes: 'events' } as const;

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
  return otherwise[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The other way round. */
export function graphqlName(name: string): string {
  const found = Object.entries(OTHERWISE).find(([, inRest]) => inRest === name);
  return found?.[0] ?? name.replaceAll(/_[a-z]/g, (match) => match.slice(1).toUpperCase());
}
