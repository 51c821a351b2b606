export type Attributes = Record<string, string | number | boolean>;

/** A part of a trace. The code that starts it ends it. */
export interface Span {
  /** W3C Trace Context for later spans; null when the trace is not sampled. */
  readonly traceparent: string | null;
  child(name: string, kind: SpanKind, attributes?: Attributes): Span;
  set(attributes: Attributes): void;
  /** @param error a short word; messages could contain secrets */
  end(error?: string): void;
}

export type SpanKind = 'SERVER' | 'CLIENT' | 'INTERNAL';

export interface Tracing {
  /** @param parent a `traceparent` that this continues; an invalid one starts a new trace */
  start(name: string, kind: SpanKind, parent: string | undefined, attributes?: Attributes): Span;
  /** Sends what has not been sent yet, for a few seconds at most. Never throws. */
  close(): Promise<void>;
}
