import type { Page } from 'playwright-core';

/** The pictures of the documentation. To add one, add it here and run `npm run pictures`. */
export interface Picture {
  /** Name of its file, without `.png`. */
  name: string;
  /**
   * What is opened: below `/portal` with the key of the main tenant, else with the platform's. `:delivery` and `:event`
   * stand for some of the main tenant that have much to tell. `embedding` is the page of examples.
   */
  path: string;
  /** The width of the window in CSS pixels. Default: 1280. */
  width?: number;
  /** Height of the window. Default: 800, for a phone 844. */
  height?: number;
  /** Default: light. */
  theme?: 'light' | 'dark';
  /** Steps of a person before the picture is taken. */
  before?: (page: Page) => Promise<void>;
}

/** In the order of docs/dashboard.md. */
export const pictures: readonly Picture[] = [
  { name: 'overview', path: '/portal/overview' },
  { name: 'endpoints', path: '/portal/endpoints', height: 600 },
  { name: 'new-endpoint', path: '/portal/endpoints/new', before: fillIn },
  { name: 'endpoint', path: '/portal/endpoints/4' },
  { name: 'endpoint-dark', path: '/portal/endpoints/9', theme: 'dark' },
  { name: 'order', path: '/portal/endpoints/14?tab=settings', height: 720 },
  { name: 'enable', path: '/portal/endpoints/4?do=enable', height: 640 },
  { name: 'deliveries', path: '/portal/deliveries', height: 505 },
  { name: 'delivery', path: '/portal/deliveries/:delivery' },
  { name: 'event', path: '/portal/events/:event', height: 610 },
  { name: 'catalogue', path: '/portal/catalogue/payment.captured' },
  { name: 'operations', path: '/portal/operations', height: 440 },
  { name: 'audit', path: '/portal/audit', height: 560 },
  { name: 'phone', path: '/portal/overview', width: 390 },
  { name: 'phone-deliveries', path: '/portal/deliveries', width: 390 },
  { name: 'embedded', path: 'embedding' },
  { name: 'tenants', path: '/console/tenants', height: 300 },
  { name: 'worst', path: '/console/worst', height: 400 },
  { name: 'installation', path: '/console', height: 780 },
];

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Url').fill('https://hooks.slack.com/services/T02/B7K/front-desk');
  await page.getByRole('checkbox', { name: 'booking.created' }).check();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.keyboard.type('brand');
  await page.getByLabel('Value').fill('Isla');
  await page.getByRole('textbox', { name: 'Text' }).fill('New booking *{{booking_code}}*');
  await page.getByText(/of your last 100 events match/).waitFor();
  await page.evaluate(`scrollTo(0, [...document.querySelectorAll('h2')]
    .find((heading) => heading.innerText === 'Filter and format').offsetTop - 110)`);
}
