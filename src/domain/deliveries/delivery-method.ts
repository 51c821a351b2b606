/** The methods of requests to endpoints, with their meaning. */
export const DELIVERY_METHODS = {
  POST: 'The method that webhooks have.',
  PUT: 'For endpoints that store what they get at their URL.',
  PATCH: 'For endpoints that change with what they get.',
} as const;
export type DeliveryMethod = keyof typeof DELIVERY_METHODS;

export const DEFAULT_METHOD: DeliveryMethod = 'POST';
