import { Untrusted } from '../../parts/untrusted';

/** Characters before and after a text that was found. */
const AROUND_CHARS = 60;

/** The part of a payload around a text that was searched for, which is marked. */
export function MarkedPart({ body, text }: { body: string; text: string }) {
  const at = body.indexOf(text);
  if (at < 0) {
    return null;
  }
  const end = at + text.length;
  const [from, to] = [Math.max(0, at - AROUND_CHARS), end + AROUND_CHARS];
  return (
    <span className="font-mono text-xs text-soft [overflow-wrap:anywhere]">
      {from > 0 && '…'}
      <Untrusted text={body.slice(from, at)} />
      <mark className="rounded-xs bg-warn-soft text-ink">
        <Untrusted text={text} />
      </mark>
      <Untrusted text={body.slice(end, to)} />
      {to < body.length && '…'}
    </span>
  );
}
