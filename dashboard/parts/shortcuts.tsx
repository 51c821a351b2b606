import { currentShortcuts } from './keyboard';

/** The keys that work on this screen now. */
export default function Shortcuts() {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-2 text-sm">
      {currentShortcuts().map(({ keys, does }) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded-sm border border-line-strong bg-sunken px-1.5 py-0.5 font-mono text-xs">
              {keys.replace('mod+', 'Ctrl/⌘ ')}
            </kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
