interface ServerEvent {
  id: string | undefined;
  /** Undefined for a heartbeat. */
  event: string | undefined;
  data: string;
}

/** The events of an answer of the type `text/event-stream`, as they come. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      yield { id: field('id'), event: field('event'), data: field('data') ?? '' };
    }
  }
}
