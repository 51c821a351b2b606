const made = new Map<string, unknown>();

/**
 * A formatter of Intl, made once for a locale and its options: making one takes as long as some hundred uses of it, and
 * a list that changes ten times a second would make thousands.
 */
export function formatter<Format, Options>(
  Kind: new (locale: string, options: Options) => Format,
  locale: string,
  options: Options,
): Format {
  const key = `${Kind.name} ${locale} ${JSON.stringify(options)}`;
  const known = made.get(key) as Format | undefined;
  if (known !== undefined) {
    return known;
  }
  const format = new Kind(locale, options);
  made.set(key, format);
  return format;
}
