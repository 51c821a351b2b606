/** The pictures of the documentation. To add one, add it here and run `npm run pictures`. */
export interface Picture {
  /** Of its file, without `.png`. */
  name: string;
  /**
   * What is opened: below `/portal` with the key of the main tenant, else with the platform's. `:tenant` stands for the main
   * tenant's number.
   */
  path: string;
  /** The width of the window in CSS pixels. Default: 1280. */
  width?: number;
  /** Default: light. */
  theme?: 'light' | 'dark';
  /** Whose tenant's data the portal shows. Default: the main tenant's. */
  tenant?: 'main' | 'hostile';
}

export const pictures: readonly Picture[] = [{ name: 'graphiql', path: '/graphiql' }];
