/** What an event type without a map of types may have as payload. */
export type AnyEvents = Record<string, object>;

/** The names of a map of types that a producer may emit: the service itself emits the other two families. */
export type EventName<Events extends object> = Exclude<
  keyof Events & string,
  `webhook.${string}` | `delivery.${string}`
>;

/** A webhook that an event is for: either its id or its external id. */
export interface EmitTarget {
  /** `wh_42`, or its number. */
  webhookId?: string | number | undefined;
  externalId?: string | undefined;
  /** For a webhook with `delivery.callback` alone, which needs it: the rest of its address, such as `/actions/7f3`. */
  path?: string | undefined;
}

/** What any emit may say of its event. A service before 0.2 refuses all but the ordering key. */
export interface EventOptions {
  /** 1 to 255 printable ASCII characters. Webhooks that keep an order send events of one key one after the other. */
  orderingKey?: string | undefined;
  /** For how many hours the payload is kept, 1 or more. Default: as long as the service keeps events. */
  keepHours?: number | undefined;
  /** The whole state before the change that the event reports, as the payload has it afterwards. */
  previous?: object | undefined;
  /** The only webhooks that the event is for, 1 to 100. Default: all that match. */
  to?: readonly EmitTarget[] | undefined;
}

export interface EmitOptions extends EventOptions {
  /**
   * 1 to 255 printable ASCII characters. The same key within 7 days gives the same event. Default: one for each call,
   * so that the client may repeat the request. Only a key of your own makes a repetition by your program safe.
   */
  idempotencyKey?: string | undefined;
  /** The tenant, for a platform key. Default: that of the client. */
  tenant?: string | number | undefined;
}

/** An event for `emitMany`. */
export type NewEvent<Events extends object> = {
  [Event in EventName<Events>]: EmitOptions & { event: Event; payload: Events[Event] };
}[EventName<Events>];

/** An event that was accepted: it is committed. */
export interface Emitted {
  /** Such as `ev_140123456789012`. */
  eventId: string;
  /** The webhooks that get the event. */
  deliveryCount: number;
  /** True when an earlier emit with the same idempotency key made the event. */
  duplicate: boolean;
}
