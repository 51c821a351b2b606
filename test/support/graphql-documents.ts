/** Documents that several test files share. */
export const documents = {
  viewer: '{ viewer { tenant { id } apiKey { id name } scopes } }',
  webhook: 'query ($id: ID!) { webhook(id: $id) { id active } }',
  createWebhook: `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
       secret
       webhook { id url eventTypes active consecutiveFailures lastSuccessAt lastFailureAt disabledAt createdAt heldCount } } }`,
  updateWebhook: `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) {
       webhook { id url eventTypes active disabledReason heldCount } } }`,
  createApiKey: `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
       key apiKey { id name scopes expiresAt revokedAt } } }`,
} as const;
