import { Fragment } from 'react';

/** Characters that change how the text around them reads, or that nobody sees: controls, bidi marks, zero widths. */
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text from somebody else: a receiver's answer, a header, a payload, a name. A text node, in which what would hide is
 * shown by its number, and which cannot turn the direction of what stands around it.
 */
export function Untrusted({ text }: { text: string }) {
  const parts: { key: number; plain: string; hidden: string | undefined }[] = [];
  let from = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    parts.push({ key: from, plain: text.slice(from, index), hidden });
    from = index + hidden.length;
  }
  if (parts.length === 0) {
    return <bdi>{text}</bdi>;
  }
  return (
    <bdi>
      {parts.map(({ key, plain, hidden }) => (
        <Fragment key={key}>
          {plain}
          <span className="rounded-xs bg-warn-soft px-0.5 font-mono text-2xs text-warn">{codePoint(hidden ?? '')}</span>
        </Fragment>
      ))}
      {text.slice(from)}
    </bdi>
  );
}

/** The same for where only plain text can stand: the choices of a `<select>`, the title of the tab. */
export function plainUntrusted(text: string): string {
  return text.replaceAll(HIDDEN, codePoint);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
