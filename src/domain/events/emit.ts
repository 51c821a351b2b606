/** An event to emit, already judged by its type's schema. */
export interface Emit {
  tenantId: number;
  eventType: string;
  /** The payload's JSON text: these bytes are stored, signed and sent. */
  body: string;
  /** 1–255 printable ASCII characters; an equal key of the same tenant within 7 days answers with the same event. */
  idempotencyKey: string | null;
  /** Only this webhook gets the event, whatever it subscribes to (a test); null: every webhook that matches. */
  onlyWebhookId: number | null;
  /** 1–255 printable ASCII characters: webhooks that keep an order send events of one key one after the other. */
  orderingKey?: string | null | undefined;
  /** The version of its type that it was judged by; none: one without a converter. */
  typeVersion?: number | null | undefined;
  /** The hours for which its payload is kept; none: as long as others. */
  keepHours?: number | null | undefined;
  /** The text of the state before the change that it reports: a JSON object; none: it is not known. */
  previous?: string | null | undefined;
  /** The only webhooks that it is for; none: every webhook that matches. */
  to?: readonly EmitTarget[] | null | undefined;
  /** W3C Trace Context that the attempts go on from; none: they are not traced. */
  traceparent?: string | null | undefined;
}

/** A webhook, by its id or by its external id. */
export interface EmitTarget {
  webhookId?: number;
  externalId?: string;
  /** Behind the webhook's url, where its option `callback` is set. */
  path?: string;
}

/** A refusal of a target. Its place in the list comes with it. */
type TargetRefusal =
  | 'TARGETS_MALFORMED'
  | 'PATH_MALFORMED'
  | 'WEBHOOK_UNKNOWN'
  | 'WEBHOOK_INACTIVE'
  | 'NOT_SUBSCRIBED'
  | 'TARGET_TWICE'
  | 'PATH_MISSING'
  | 'PATH_NOT_TAKEN';

export type EmitRefusal =
  | TargetRefusal
  | 'TENANT_UNKNOWN'
  | 'TENANT_MOVING'
  | 'TENANT_ELSEWHERE'
  | 'EVENT_TYPE_UNKNOWN'
  | 'EVENT_TYPE_RESERVED'
  | 'EVENT_TYPE_DEPRECATED'
  | 'WEBHOOK_NOT_ACTIVE'
  | 'IDEMPOTENCY_KEY_REUSED';

export type EmitResult = { refused: null; eventId: number; deliveryCount: number; duplicate: boolean } | Refused;

export interface Refused {
  refused: EmitRefusal;
  /** A sentence, where the code alone does not say all. */
  detail?: string | null;
  /** Where a tenant lives that is TENANT_ELSEWHERE. */
  cell?: number | null | undefined;
}
