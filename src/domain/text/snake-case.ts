/** The name of a column, or a field of REST: `lastSuccessAt` is `last_success_at`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
