import { z } from 'zod';

/** A setting of the service, with its default in the schema. docs/settings.md says what each one means. */
interface Setting<Schema extends z.ZodType> {
  schema: Schema;
  /** Completes the sentence "allowed: …". */
  allowed: string;
  /** Says what is wrong with a text, as the end of a sentence without secrets; null where `allowed` says enough. */
  faultOf?: ((text: string) => string | null) | undefined;
}

export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  allowed: string,
  faultOf?: Setting<Schema>['faultOf'],
): Setting<Schema> => ({ schema, allowed, faultOf });

export function whole(min: number, max: number, fallback: number, allowed = `${min} to ${max}`) {
  const schema = z
    .string()
    .regex(/^\d+$/)
    .default(String(fallback))
    .transform(Number)
    .refine((value) => value >= min && value <= max);
  return setting(schema, allowed);
}

const trueOrFalse = z.enum(['true', 'false']);

export function yesNo(fallback: boolean) {
  const schema = trueOrFalse.default(fallback ? 'true' : 'false').transform((text) => text === 'true');
  return setting(schema, 'true or false');
}

export const yesNoOrUnset = setting(trueOrFalse.transform((text) => text === 'true').optional(), 'true or false');

export const optionalText = (allowed = 'a text') => setting(z.string().min(1).optional(), allowed);

export const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
