/**
 * SQL: a row in each table that has some by tenant, beside what an emit leaves: its event, deliveries, attempts and
 * statistics. The grant of an outbox is left out.
 */
export const everyKindOfRow = (tenantId: number, webhookId: number): string => `
  insert into hookwright.idempotency_keys values (${tenantId}, 'key', 1, '');
  insert into hookwright.creation_keys (tenant_id, api_key_id, key, request_hmac, webhook_id, secret_digest)
    values (${tenantId}, 1, 'key', '', ${webhookId}, '');
  insert into hookwright.webhook_options (webhook_id, tenant_id, name) values (${webhookId}, ${tenantId}, 'Shop');
  insert into hookwright.webhook_contents (tenant_id, webhook_id, format) values (${tenantId}, ${webhookId}, 'SLACK');
  insert into hookwright.raised_events (tenant_id, webhook_id, event_type)
    values (${tenantId}, ${webhookId}, 'webhook.disabled');
  insert into hookwright.bulk_operations
    (tenant_id, kind, status, webhook_id, filter, from_id, to_id, cursor_id, total, actor, api_key_id, finished_at)
    select ${tenantId}, 'REPLAY_EVENTS', 'COMPLETED', ${webhookId}, '{}', 0, 1, 0, 1, 'TENANT_KEY', min(id), now()
    from hookwright.api_keys where tenant_id = ${tenantId};
  insert into hookwright.endpoint_states
    (webhook_id, daemon_id, tenant_id, window_limit, in_flight, waiting, put_offs)
    values (${webhookId}, gen_random_uuid(), ${tenantId}, 1, 0, 0, 0);
  insert into hookwright.webhook_recoveries (webhook_id, tenant_id, pause_minutes) values (${webhookId}, ${tenantId}, 1);
  insert into hookwright.verifications (webhook_id, tenant_id, host, status)
    values (${webhookId}, ${tenantId}, 'https://example.com', 'PENDING');
  insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version)
    values (${webhookId}, ${tenantId}, 1);
  insert into hookwright.ordering_keys (webhook_id, key, tenant_id) values (${webhookId}, 'k', ${tenantId});
  insert into hookwright.ordering_queue values (${webhookId}, 'k', 1, 1, ${tenantId});
  insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
    values (${tenantId}, 'coupon.applied', '{}', now() + interval '1 day', now() + interval '1 day');
  insert into hookwright.event_ends values (${tenantId}, 1, now() + interval '1 year');
  insert into hookwright.tenant_erasures values (${tenantId}, 1);
  insert into hookwright.erasure_counts (tenant_id, api_key_id, filter_hash, count, to_id)
    values (${tenantId}, 1, '', 1, 1);
  insert into hookwright.notice_recipients (tenant_id, address, topics)
    values (${tenantId}, 'ops-${tenantId}@example.com', '{DISABLED}');
  insert into hookwright.notices (tenant_id, recipient_id, topic, send_after)
    select ${tenantId}, id, 'TEST', now() + interval '1 year'
    from hookwright.notice_recipients where tenant_id = ${tenantId};
  insert into hookwright.confirmation_requests (tenant_id, address_hash) values (${tenantId}, '');
  insert into hookwright.signing_keys values (${tenantId}, 'key', 'address of ${tenantId}', '', '', now());
  insert into hookwright.queue_stats values (${tenantId}, ${webhookId}, 'HOUR', now(), 1, 1, 1, false, false);
  insert into hookwright.failure_stats (tenant_id, webhook_id, reason, resolution, bucket, failures)
    values (${tenantId}, ${webhookId}, 'TIMEOUT', 'HOUR', now(), 1);
  insert into hookwright.tenant_rates (tenant_id) values (${tenantId});
  insert into hookwright.outbox_emits values (${tenantId}, 1, now() + interval '1 hour');
  insert into hookwright.audit_log (tenant_id, actor, api_key_id, action, target_type, target_id)
    select ${tenantId}, 'TENANT_KEY', id, 'WEBHOOK_UPDATED', 'WEBHOOK', ${webhookId}
    from hookwright.api_keys where tenant_id = ${tenantId}`;
