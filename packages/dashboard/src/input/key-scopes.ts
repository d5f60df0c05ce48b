import type { KeyScope } from '@cobro/sdk/admin'

type GroupOf<Scope extends KeyScope> = Scope extends `${infer Group}:${string}` ? Group : never

/** A group of resources that keys can be limited to. */
export type ScopeGroup = GroupOf<KeyScope>
/** What a key may do with a group. */
export type ScopeVerb = 'read' | 'write'

/**
 * The scopes, each with the operation that only those may call who can give it to a key. A scope that is missing here does not
 * compile, and a test holds the operations against the contracts.
 */
const operations: Record<KeyScope, string> = {
  'checkout:read': 'listPaymentLinks',
  'checkout:write': 'createMerchantPaymentLink',
  'transactions:read': 'listTransactions',
  'transactions:write': 'refundTransaction',
  'disputes:read': 'listDisputes',
  'disputes:write': 'updateDispute',
  'settlements:read': 'listSettlements',
  'sucursales:read': 'listSucursales',
  'sucursales:write': 'createSucursal',
  'webhooks:read': 'listWebhooks',
  'webhooks:write': 'createWebhook',
  'requests:read': 'listRequests',
}

/** All scopes, in the order of the contracts. */
export const allScopes = Object.keys(operations) as KeyScope[]

/** Returns the scopes that a user can give to a key: none beyond what the user may do. */
export const givenBy = (may: (operationId: string) => boolean): KeyScope[] =>
  allScopes.filter(scope => may(operations[scope]))

/** Returns the groups of some scopes, in their order, each with its scopes. */
export function byGroup(scopes: readonly KeyScope[]): [ScopeGroup, KeyScope[]][] {
  const groups = new Map<ScopeGroup, KeyScope[]>()
  for (const scope of scopes) {
    const group = scope.split(':')[0] as ScopeGroup
    groups.set(group, [...(groups.get(group) ?? []), scope])
  }
  return Array.from(groups)
}

/** Returns what a scope lets a key do with its group. */
export function verbOf(scope: KeyScope): ScopeVerb {
  return scope.endsWith(':read') ? 'read' : 'write'
}
