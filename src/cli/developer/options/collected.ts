/** The values of an option that may be repeated. */
export const collected = (value: string, before: readonly string[] = []): string[] => [...before, value];
