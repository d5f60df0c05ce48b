import type { KeyScope } from '@cobro/sdk/admin'

type ReadScope = Extract<KeyScope, `${string}:read`>

/** A scope that is missing here does not compile. */
const all: Record<ReadScope, true> = {
  'checkout:read': true,
  'transactions:read': true,
  'disputes:read': true,
  'settlements:read': true,
  'sucursales:read': true,
  'webhooks:read': true,
  'requests:read': true,
}

/** All scopes that let a key read. */
export const readScopes = Object.keys(all) as ReadScope[]
