import { CopyButton } from './button';
import { Untrusted } from './untrusted';

/** Exact text in a box that scrolls, with a button that copies it. `name` says what is copied. */
export function Code({ text, name, wrap }: { text: string; name: string; wrap?: boolean }) {
  return (
    <div className="relative">
      <pre
        // A box that scrolls takes the keyboard's focus, so that arrow keys can scroll it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className={`max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 pe-10 font-mono text-xs leading-relaxed ${
          wrap ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : ''
        }`}
      >
        <Untrusted text={text} />
      </pre>
      <div className="absolute end-1 top-1">
        <CopyButton text={text} name={name} />
      </div>
    </div>
  );
}
