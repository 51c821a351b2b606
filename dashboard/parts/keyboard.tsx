import { useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';

interface Shortcut {
  /** A key as KeyboardEvent.key has it, `mod+k` for Ctrl or ⌘, or two keys one after the other: `g d`. */
  keys: string;
  /** The action in words, for the list of keys. */
  does: string;
  run: () => void;
}

const shortcuts: Shortcut[] = [];

/** The keys that work on this screen now, for the list that `?` shows. */
export function currentShortcuts(): readonly Shortcut[] {
  return shortcuts.filter(({ keys }, at) => shortcuts.findIndex((one) => one.keys === keys) === at);
}

/** Gives a key a meaning while this part is shown; none while `run` is undefined. The latest part wins. */
export function useShortcut(keys: string, does: string, run: (() => void) | undefined): void {
  useShortcuts(run === undefined ? [] : [{ keys, does, run }]);
}

/** As `useShortcut`, for several keys. */
export function useShortcuts(wanted: readonly Shortcut[]): void {
  const latest = useRef(wanted);
  latest.current = wanted;
  const names = wanted.map(({ keys, does }) => `${keys} ${does}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: other keys or words are given again, another `run` is not
  useEffect(() => {
    const given = latest.current.map(({ keys, does }, at) => ({ keys, does, run: () => latest.current[at]?.run() }));
    shortcuts.unshift(...given);
    runEarly();
    return () => {
      for (const shortcut of given) {
        shortcuts.splice(shortcuts.indexOf(shortcut), 1);
      }
    };
  }, [names]);
}

/** `j` and `k` step to another row, Enter opens the current one. Undefined: there is none. */
export function useRowKeys(step: ((by: 1 | -1) => void) | undefined, open: (() => void) | undefined): void {
  const { t } = useLingui();
  const go = (by: 1 | -1) => {
    leaveFocus();
    step?.(by);
  };
  useShortcut('j', t`Next row`, step && (() => go(1)));
  useShortcut('k', t`Previous row`, step && (() => go(-1)));
  useShortcut('Enter', t`Open the row`, open);
}

/** Does what a key does, for a button elsewhere, too. Whether it has a meaning now. */
export function runShortcut(pressed: string): boolean {
  const shortcut = shortcuts.find(({ keys }) => keys === pressed);
  shortcut?.run();
  return shortcut !== undefined;
}

/** Notices are dialogs, too, which nobody must answer. */
const DIALOGS = ':is([role=dialog], [role=alertdialog]):not([aria-modal=false])';

/** Takes the focus from what has it, such as the link that led here, which Enter would follow again. */
function leaveFocus(): void {
  if (document.activeElement instanceof HTMLElement) {
    document.activeElement.blur();
  }
}

/** Keys are not ours while somebody types, chooses in a menu, or answers a dialog. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (event.defaultPrevented || event.isComposing || event.altKey) {
    return true;
  }
  // What a dialog shows may be shown only once.
  if (document.querySelector(DIALOGS) !== null) {
    return true;
  }
  if (event.ctrlKey || event.metaKey) {
    return false;
  }
  return (
    target?.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=listbox]') !=
      null ||
    (event.key === 'Enter' && target?.closest('a, button, input') != null)
  );
}

/** The second key of two follows within this time. */
const SECOND_KEY_MS = 1_500;
let first: { key: string; at: number } | undefined;

/** Keys of a page that is still being loaded have a meaning as long as this. */
const EARLY_MS = 10_000;
let early: { pressed: string; at: number }[] = [];

/** Does what keys mean that were pressed before the page had any: `g d`, Ctrl K, `?`. */
function runEarly(): void {
  const [last, before] = early.filter(({ at }) => performance.now() - at < EARLY_MS).reverse();
  const isFrameKey = last && (last.pressed.startsWith('mod+') || last.pressed === '?');
  const meant = isFrameKey ? last.pressed : before?.pressed === 'g' && last ? `g ${last.pressed}` : undefined;
  if (meant !== undefined && runShortcut(meant)) {
    early = [];
  }
}

document.addEventListener('keydown', (event) => {
  if (isTaken(event)) {
    return;
  }
  const pressed = `${event.ctrlKey || event.metaKey ? 'mod+' : ''}${event.key}`;
  if (shortcuts.length === 0) {
    early = [...early.slice(-1), { pressed, at: event.timeStamp }];
    return;
  }
  early = [];
  const both = first && event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ${pressed}` : undefined;
  first = undefined;
  if ((both !== undefined && runShortcut(both)) || runShortcut(pressed)) {
    event.preventDefault();
  } else if (shortcuts.some(({ keys }) => keys.startsWith(`${pressed} `))) {
    first = { key: pressed, at: event.timeStamp };
  }
});
