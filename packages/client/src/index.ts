export { type Client, type ClientOptions, createClient } from './client.js';
export { type EmitResult, HookwrightError, type Issue } from './error.js';
export type { AnyEvents, EmitOptions, EmitTarget, Emitted, EventName, EventOptions, NewEvent } from './events.js';
export { createOutbox, type Outbox, type OutboxEmitOptions, type OutboxEmitter, type OutboxOptions } from './outbox.js';
