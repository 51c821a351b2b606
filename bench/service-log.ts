const SILENCE = 'the database is silent';
/** pino's levels from `warn` on, which a refusal for now has, and their names with LOG_FORMAT=severity. */
const TROUBLE = /"level":[456]0\b|"severity":"(?:WARNING|ERROR|CRITICAL)"/;
const TROUBLES_KEPT = 10;
/** A line has the whole stack of an error. */
const TROUBLE_CHARACTERS_MAX = 4_000;

/** The parts of the service's log that the bench needs. Each line is JSON. */
export class ServiceLog {
  #lines = 0;
  #silences = 0;
  #troubles: string[] = [];
  /** The begun line. */
  #line = '';

  read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop()!;
    this.#lines += lines.length;
    this.#silences += lines.filter((line) => line.includes(SILENCE)).length;
    const found = lines.filter((line) => TROUBLE.test(line)).map((line) => line.slice(0, TROUBLE_CHARACTERS_MAX));
    this.#troubles = [...this.#troubles, ...found].slice(-TROUBLES_KEPT);
  }

  get lines(): number {
    return this.#lines;
  }

  /** How often a daemon has fetched its jobs again because Postgres did not answer it for some seconds. */
  get silences(): number {
    return this.#silences;
  }

  /** The last warnings and errors, the newest at the end. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }
}
