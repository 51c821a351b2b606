import type { SignatureForm } from './signature-form.js';

const convoy: SignatureForm = {
  header: 'X-Convoy-Signature',
  content: '{timestamp},{body}',
  prefix: 't={timestamp},',
  value: 'v1={signature}',
  join: ',',
  algorithm: 'sha256',
  encoding: 'hex',
  key: 'text',
  also: { 'X-Convoy-Idempotency-Key': '{id}' },
};

/** The signatures of former systems, by the names of their forms (docs/signatures.md, "Built-in forms"). */
export const FORM_PRESETS: Readonly<Record<string, SignatureForm>> = {
  svix: {
    header: 'svix-signature',
    content: '{id}.{timestamp}.{body}',
    prefix: '',
    value: 'v1,{signature}',
    join: ' ',
    algorithm: 'sha256',
    encoding: 'base64',
    key: 'base64',
    also: { 'svix-id': '{id}', 'svix-timestamp': '{timestamp}' },
  },
  convoy,
  // Receivers of this form compare the whole header, so there is room for one signature.
  'convoy-simple': { ...convoy, content: '{body}', prefix: '', value: '{signature}', join: null },
  outpost: {
    header: 'x-outpost-signature',
    content: '{body}',
    prefix: 'v0=',
    value: '{signature}',
    join: ',',
    algorithm: 'sha256',
    encoding: 'hex',
    key: 'text',
    // Outpost's body is the data of the event alone: receivers read its type and time from these.
    also: { 'x-outpost-event-id': '{id}', 'x-outpost-topic': '{type}', 'x-outpost-timestamp': '{time}' },
  },
};
