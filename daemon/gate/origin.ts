/** Scheme, host and port, as one tenant uses them. */
export class Origin<Endpoint> {
  inFlight = 0;
  /** How many webhooks share it. */
  endpoints = 0;
  /** Those of them with somebody in their waiting room. */
  readonly waiting = new Set<Endpoint>();

  constructor(readonly key: string) {}
}
