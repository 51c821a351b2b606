import { typescriptOf } from '../../../domain/schema-rules/typescript.js';
import { type ConnectionFlags, findConnection } from '../connection/connection.js';
import { readRegistry } from './registry.js';

/** `hookwright types pull`: prints a TypeScript module with the payloads of all event types. */
export async function pullTypes(flags: ConnectionFlags): Promise<void> {
  const types = await readRegistry(findConnection(flags));
  const typed = types.map((type) => ({ ...type, isDeprecated: type.deprecatedAt !== null }));
  process.stdout.write(typescriptOf(typed));
}
