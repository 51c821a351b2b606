import { isOperational } from '../../domain/events/operational-events.js';
import {
  INSTALLATION_EVENT_TYPES,
  schemaOfProperties,
  TENANT_PROPERTIES,
  TENANT_SAMPLE,
} from '../../domain/installation/installation-events.js';
import type { KnownTypes } from '../fields/kind-rules.js';
import type { EventTypeRegistry, EventTypeVersionRow, RegisteredEventType } from './event-type-registry.js';

/** The event types that a caller sees. */
export type EventTypeCatalogue = Pick<
  EventTypeRegistry,
  'all' | 'names' | 'check' | 'brokenRules' | 'forget' | 'versions'
>;

type OwnType = Pick<RegisteredEventType, 'name' | 'description' | 'schema' | 'samplePayload'>;

const ownTypes: readonly OwnType[] = INSTALLATION_EVENT_TYPES.map(({ name, description, properties, sample }) => ({
  name,
  description,
  schema: schemaOfProperties(properties),
  samplePayload: JSON.stringify(sample),
}));

/**
 * The event types that webhooks of the installation may get: those that it alone has, tests, and the operational ones
 * with the tenant that each event is about.
 */
export class InstallationTypes implements EventTypeCatalogue {
  #registered: readonly RegisteredEventType[] = [];
  #all: readonly RegisteredEventType[] = [];

  constructor(private readonly registry: EventTypeCatalogue) {}

  async all(): Promise<readonly RegisteredEventType[]> {
    const registered = await this.registry.all();
    if (registered !== this.#registered) {
      const reserved = registered.filter((type) => type.reserved);
      const own = ownTypes.map((type) => ({
        ...reserved[0]!,
        ...type,
        version: 1,
        converts: false,
        deprecatedAt: null,
        hiddenAt: null,
      }));
      const all = [...reserved.map((type) => (isOperational(type.name) ? withTenant(type) : type)), ...own];
      this.#all = all.sort((a, b) => (a.name < b.name ? -1 : 1));
      this.#registered = registered;
    }
    return this.#all;
  }

  async names(): Promise<KnownTypes> {
    const all = (await this.all()).map(({ name }) => name);
    return { all, shown: all };
  }

  /** Their schemas are the service's own, and have no history. */
  async versions(names: readonly string[]): Promise<EventTypeVersionRow[]> {
    const asked = (await this.all()).filter(({ name }) => names.includes(name));
    const none = { converter: null, converterFrom: null };
    return asked.map(({ name: eventType, version, schema, createdAt }) => ({
      ...none,
      eventType,
      version,
      schema,
      createdAt,
    }));
  }

  check(...question: Parameters<EventTypeCatalogue['check']>) {
    return this.registry.check(...question);
  }

  brokenRules(...question: Parameters<EventTypeCatalogue['brokenRules']>) {
    return this.registry.brokenRules(...question);
  }

  forget(): void {
    this.registry.forget();
  }
}

function withTenant(type: RegisteredEventType): RegisteredEventType {
  const { properties } = JSON.parse(type.schema) as { properties: Record<string, object> };
  return {
    ...type,
    schema: schemaOfProperties({ ...properties, ...TENANT_PROPERTIES }),
    samplePayload:
      type.samplePayload && JSON.stringify({ ...(JSON.parse(type.samplePayload) as object), ...TENANT_SAMPLE }),
  };
}
