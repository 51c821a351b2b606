/** The name of a type in a program: `booking.created` is `BookingCreated`. */
export function typeNameOf(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('').replace(/^(?=\d|$)/, 'Event');
}

/** The names of types, all of them different. */
export class TypeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  take(text: string): string {
    const wanted = typeNameOf(text);
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) {
      name = `${wanted}_${number}`;
    }
    this.#taken.add(name);
    return name;
  }
}
