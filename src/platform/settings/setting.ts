import { z } from 'zod';
import { type Environment, type Found, fileVariable, readSecret } from './secret-files.js';

/** A setting of the service, with its default in the schema. docs/settings.md says what each one means. */
export class Setting<Schema extends z.ZodType = z.ZodType> {
  constructor(
    /** The environment variable. */
    readonly name: string,
    readonly schema: Schema,
    /** Completes the sentence "allowed: …". */
    readonly allowed: string,
    /** Says what is wrong with a text, as the end of a sentence without secrets; null where `allowed` says enough. */
    readonly faultOf: (text: string) => string | null = () => null,
    /** Says what a text that is allowed does not do, as a sentence without secrets. */
    readonly warningOf: (text: string) => string | null = () => null,
  ) {}

  /** The environment variables that it is read from. */
  get variables(): string[] {
    return [this.name];
  }

  /** Finds its text; an empty variable is the same as none. */
  find(env: Environment): Found {
    return { text: env[this.name] || undefined };
  }

  /** @throws Error with a sentence about a text that is not allowed */
  parse({ text, file }: Found): z.output<Schema> {
    const { data, success } = this.schema.safeParse(text);
    if (success) {
      return data;
    }
    const fault = this.faultOf(text ?? '');
    throw new Error(
      `${this.name}${file === undefined ? '' : ` (in ${file})`} is ${this.shown(text)}${fault === null ? '' : `, and ${fault}`}; allowed: ${this.allowed}.`,
    );
  }

  protected shown(text: string | undefined): string {
    return JSON.stringify(text);
  }
}

/** A setting with a secret: it is never shown, and may come from a file (secret-files.ts). */
export class SecretSetting<Schema extends z.ZodType = z.ZodType> extends Setting<Schema> {
  override get variables(): string[] {
    return [this.name, fileVariable(this.name)];
  }

  /** @throws Error with a sentence when it has several sources, or its file gives no text */
  override find(env: Environment): Found {
    return readSecret(this.name, env);
  }

  protected override shown(): string {
    return '(not shown)';
  }
}

/** Settings in the form that they have in the configuration. */
interface Table {
  readonly [key: string]: Setting | Table;
}

export type ValuesOf<Entry> =
  Entry extends Setting<infer Schema> ? z.output<Schema> : { readonly [Key in keyof Entry]: ValuesOf<Entry[Key]> };

export function readTable<Settings extends Table>(
  table: Settings,
  read: (setting: Setting) => unknown,
): ValuesOf<Settings> {
  const entries = Object.entries(table).map(([key, entry]) => [
    key,
    entry instanceof Setting ? read(entry) : readTable(entry, read),
  ]);
  return Object.fromEntries(entries);
}

export const settingsIn = (table: Table): Setting[] =>
  Object.values(table).flatMap((entry) => (entry instanceof Setting ? [entry] : settingsIn(entry)));

const digits = z.string().regex(/^\d+$/);

export function whole(name: string, min: number, max: number, fallback: number, allowed = `${min} to ${max}`) {
  const schema = digits
    .default(String(fallback))
    .transform(Number)
    .refine((value) => value >= min && value <= max);
  return new Setting(name, schema, allowed);
}

export const wholeOrUnset = (name: string, min: number, max: number) =>
  new Setting(
    name,
    digits
      .transform(Number)
      .refine((value) => value >= min && value <= max)
      .optional(),
    `${min} to ${max}`,
  );

const yesNoText = z.enum(['true', 'false']);
const isYes = (text: string): boolean => text === 'true';

export const yesNo = (name: string, fallback: boolean) =>
  new Setting(name, yesNoText.default(fallback ? 'true' : 'false').transform(isYes), 'true or false');

export const yesNoOrUnset = (name: string) => new Setting(name, yesNoText.transform(isYes).optional(), 'true or false');

export const optionalText = (name: string, allowed = 'a text') =>
  new Setting(name, z.string().min(1).optional(), allowed);

const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** A choice of names; `all`, which is the default, is each of them. */
export const choice = <Name extends string>(name: string, names: readonly Name[]) =>
  new Setting(
    name,
    commaSeparated
      .transform((parts) => (parts.length === 0 ? ['all'] : parts))
      .refine((parts) => parts.join() === 'all' || parts.every((part) => (names as readonly string[]).includes(part)))
      .transform((parts) => (parts[0] === 'all' ? names : (parts as Name[]))),
    `all, or some of ${names.join(', ')}, separated by commas`,
  );

export const list = (name: string, isAllowed: (part: string) => boolean, allowed: string) =>
  new Setting(
    name,
    commaSeparated.refine((parts) => parts.every(isAllowed)),
    allowed,
  );
