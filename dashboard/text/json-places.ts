/** Where a value lies in a JSON text: offsets of its first character and of the one after its last. */
export interface JsonPlace {
  start: number;
  end: number;
  /** From 1 on. */
  line: number;
}

type Path = readonly (string | number)[];

const SPACE = /[\t\n\r ]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const OTHER = /[^\s,\]}]+/y;

/**
 * Finds a value in a JSON text by its path; where the path leads further than the text, the value that it leads to.
 *
 * @param text valid JSON.
 */
export function placeOf(text: string, path: Path): JsonPlace {
  const { start, end } = new Scanner(text).find(path);
  return { start, end, line: text.slice(0, start).split('\n').length };
}

/** Reads a valid JSON text from left to right, and passes over what is not asked for. */
class Scanner {
  #at = 0;

  constructor(private readonly text: string) {}

  find([step, ...rest]: Path): { start: number; end: number } {
    this.#take(SPACE);
    const start = this.#at;
    if (step !== undefined) {
      let found: { start: number; end: number } | undefined;
      this.#members((key) => {
        if (key === String(step)) {
          // The last one of a name is the one that counts.
          found = this.find(rest);
        } else {
          this.#value();
        }
      });
      if (found !== undefined) {
        return found;
      }
      this.#at = start;
    }
    this.#value();
    return { start, end: this.#at };
  }

  #value(): void {
    this.#take(SPACE);
    const first = this.text[this.#at];
    if (first === '"') {
      this.#take(STRING);
    } else if (first === '{' || first === '[') {
      this.#members(() => this.#value());
    } else {
      this.#take(OTHER);
    }
  }

  /** Calls `read` before each value of an object or list, with its name or number; none for any other value. */
  #members(read: (key: string) => void): void {
    this.#take(SPACE);
    const first = this.text[this.#at];
    if (first !== '{' && first !== '[') {
      return;
    }
    this.#at += 1;
    for (let index = 0; this.#at < this.text.length; index += 1) {
      this.#take(SPACE);
      if (this.text[this.#at] === '}' || this.text[this.#at] === ']') {
        this.#at += 1;
        return;
      }
      read(first === '{' ? this.#name() : String(index));
      this.#take(SPACE);
      if (this.text[this.#at] === ',') {
        this.#at += 1;
      }
    }
  }

  #name(): string {
    const name = JSON.parse(this.#take(STRING)) as string;
    this.#take(SPACE);
    this.#at += 1; // the colon
    return name;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken] = pattern.exec(this.text) ?? [''];
    this.#at += taken.length;
    return taken;
  }
}
