import { useLingui } from '@lingui/react/macro';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { TextInput } from './field';
import { useShortcut } from './keyboard';
import { useAddress } from './place';

/** How long nobody types before a search begins. */
const PAUSE_MS = 200;

/** A search that the address keeps under `name`. The key `/` leads to it. */
export function SearchBox({ name, label }: { name: string; label: string }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const kept = address[name] ?? '';
  const [text, setText] = useState(kept);
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', t`Search`, () => input.current?.focus());
  useEffect(() => setText(kept), [kept]);
  useEffect(() => {
    if (text.trim() === kept) {
      return;
    }
    const timer = setTimeout(() => setAddress({ [name]: text.trim() }, { replace: true }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, kept, name, setAddress]);
  return (
    <div className="relative w-60 max-w-full">
      <Search aria-hidden className="absolute start-2.5 top-2 size-3.5 text-faint" />
      <TextInput
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        style={{ paddingInlineStart: '2rem', height: '1.875rem' }}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  );
}
