/** The text typed while its field is still being loaded. Null: nothing is kept. */
let kept: string | null = null;

/** Keeps what is typed from now on, until a field has the focus or somebody turns to something else. */
export function keepTyped(): void {
  if (kept !== null) {
    return;
  }
  kept = '';
  document.addEventListener('keydown', hear, { capture: true });
  document.addEventListener('pointerdown', forget, { capture: true });
  // After the field itself has asked for it.
  document.addEventListener('focusin', forgetAtField);
}

/** The text typed since `keepTyped`. */
export const typedAhead = (): string => kept ?? '';

function forget(): void {
  kept = null;
  document.removeEventListener('keydown', hear, { capture: true });
  document.removeEventListener('pointerdown', forget, { capture: true });
  document.removeEventListener('focusin', forgetAtField);
}

function forgetAtField({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    forget();
  }
}

function hear(event: KeyboardEvent): void {
  if (event.key === 'Escape' || event.key === 'Tab') {
    forget();
  } else if (event.key === 'Backspace') {
    kept = (kept ?? '').slice(0, -1);
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing) {
    kept = `${kept ?? ''}${event.key}`;
    // Neither a key of the screen, nor a blank that scrolls.
    event.preventDefault();
    event.stopPropagation();
  }
}
