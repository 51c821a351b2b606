/**
 * What an application gets to know of a refusal: an SQLSTATE of our own, a sentence, and what to do; null: see the
 * docs.
 */
export const refusal = `
create or replace function hookwright.refusal(code text, out state text, out sentence text, out hint text)
language sql immutable as $$
  select known.state, known.sentence, known.hint from (values
    ('TENANT_UNKNOWN', 'HW001', 'There is no such tenant.', null),
    ('TENANT_NOT_GRANTED', 'HW001', 'This role may not emit for the tenant.',
      'Run: hookwright outbox grant <role> --tenant <id>. What counts is the role that logged in, not SET ROLE.'),
    ('EVENT_TYPE_UNKNOWN', 'HW002', 'There is no such event type.', null),
    ('EVENT_TYPE_RESERVED', 'HW003', 'Only the service itself emits events of this type.', null),
    ('EVENT_TYPE_DEPRECATED', 'HW004', 'The event type is deprecated.', null),
    ('PAYLOAD_NO_JSON_OBJECT', 'HW005', 'The body is not the text of a JSON object.', null),
    ('PAYLOAD_TOO_LARGE', 'HW006', 'The body is too long.', null),
    ('PAYLOAD_BREAKS_SCHEMA', 'HW007', 'The body breaks the schema of the event type.', null),
    ('SCHEMA_NOT_CHECKED', 'HW008', 'The schema of this event type cannot be checked in the database.',
      'Check the body by EventType.schema in the application, and say schema_checked => true.'),
    ('IDEMPOTENCY_KEY_REUSED', 'HW009',
      'The idempotency key was used for an event of another type or with another body.', null),
    ('IDEMPOTENCY_KEY_INVALID', 'HW010', 'An idempotency key has 1 to 255 printable ASCII characters.', null),
    ('ARGUMENT_MISSING', 'HW011', 'Tenant, event type and body must not be null.', null)
  ) as known(code, state, sentence, hint)
  where known.code = refusal.code
$$;

revoke execute on function hookwright.refusal from public;
`;
