/** The groups of resources that API keys can be limited to. */
export type ScopeGroup =
  | 'checkout'
  | 'transactions'
  | 'disputes'
  | 'settlements'
  | 'sucursales'
  | 'webhooks'
  | 'requests'

/**
 * The scopes of API keys. `read` covers the GET operations of a group, `write` all others; neither
 * includes the other. No scope covers API keys, users or approvals. Keys cannot write settlements. The payloads of webhook
 * deliveries, and with them the data of other groups, belong to `webhooks`, and the history of calls and payments to
 * `requests`.
 */
export const keyScopes = [
  'checkout:read',
  'checkout:write',
  'transactions:read',
  'transactions:write',
  'disputes:read',
  'disputes:write',
  'settlements:read',
  'sucursales:read',
  'sucursales:write',
  'webhooks:read',
  'webhooks:write',
  'requests:read',
] as const satisfies readonly `${ScopeGroup}:${'read' | 'write'}`[]
