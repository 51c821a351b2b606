/** What somebody has typed as a payload: its value, or what is wrong with it. */
export interface PayloadText {
  value?: Record<string, unknown>;
  problem?: 'no-object' | { text: string };
}

export function payloadOf(text: string): PayloadText {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as Record<string, unknown> }
      : { problem: 'no-object' };
  } catch (error) {
    return { problem: { text: error instanceof Error ? error.message : String(error) } };
  }
}
