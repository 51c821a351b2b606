export type { Dedupe, DedupeState, StoreOptions } from './dedupe.js';
export { memory } from './memory.js';
export { POSTGRES_SQL, type PostgresPool, postgres } from './postgres.js';
export { type RedisClient, redis } from './redis.js';
