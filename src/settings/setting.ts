import { z } from 'zod';

/** A setting of the service, with its default in the schema. */
interface Setting<Schema extends z.ZodType> {
  schema: Schema;
  /** Completes the sentence "allowed: …". */
  allowed: string;
  meaning: string;
  /** Says what is wrong with a text, as the end of a sentence without secrets; null where `allowed` says enough. */
  faultOf?: ((text: string) => string | null) | undefined;
}

export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  allowed: string,
  meaning: string,
  faultOf?: Setting<Schema>['faultOf'],
): Setting<Schema> => ({
  schema,
  allowed,
  meaning,
  faultOf,
});

export function whole(min: number, max: number, fallback: number) {
  return z
    .string()
    .regex(/^\d+$/)
    .default(String(fallback))
    .transform(Number)
    .refine((value) => value >= min && value <= max);
}

export const trueOrFalse = z.enum(['true', 'false']);

export function yesNo(fallback: boolean) {
  return trueOrFalse.default(fallback ? 'true' : 'false').transform((text) => text === 'true');
}

export const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
