/** Retries make up for a lesser part of failed attempts. */
export const MANY_FAILED = 0.05;
