import { Migration } from '@mikro-orm/migrations';

/** Plainer descriptions of two operational event types. Descriptions that an operator has changed stay. */
export class WordsOfEventTypes extends Migration {
  override up(): void {
    this.addSql(`
      update hookwright.event_types t set description = words.better
      from (values
        ('webhook.disabled', ' A pause is no such case.',
         'When another webhook of the tenant was disabled, by failures in a row (FAILURES) or by a 410 (GONE). '
         || 'Not sent when you pause it.'),
        ('webhook.held_expiring', ' or half of a hold below 48 hours.',
         'Before deliveries that another webhook of the tenant holds are canceled: 24 hours before, or half-way if the '
         || 'hold is shorter than 48 hours.')
      ) as words (name, former, better)
      where t.name = words.name and t.reserved and right(t.description, length(words.former)) = words.former;
    `);
  }
}
