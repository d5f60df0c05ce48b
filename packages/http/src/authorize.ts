import { ApiError, accessesOf, type Caller, keyScopeOf, needsFreshLogin, type Operation } from '@cobro/contracts'

/** How long a user need not prove again who it is. */
const freshSeconds = 300

type User = Extract<Caller, { kind: 'client' | 'operator' }>

/**
 * Rejects callers that the operation does not allow: by their kind, scopes, access, and the age of their login. What payers may
 * call needs no credential, so any credential may call it. The code that loads an object checks whose it is.
 */
export function authorize(operation: Operation, caller: Caller): void {
  if (operation.callers.includes(caller.kind)) requireRights(operation, caller)
  else if (caller.kind === 'payer') throw new ApiError('unauthorized')
  else if (!operation.callers.includes('payer')) throw new ApiError('forbidden')
  if (caller.kind === 'operator') requireMerchants(operation, caller)
}

function requireRights(operation: Operation, caller: Caller): void {
  if (caller.kind === 'key') requireScope(operation, caller)
  if (caller.kind !== 'client' && caller.kind !== 'operator') return
  requireAccess(operation, caller)
  if (needsFreshLogin(operation)) requireFreshLogin(caller)
}

/** Some operations need an operator of all merchants. What is written, and a feed, belongs to the merchant that an operator states. */
function requireMerchants(
  operation: Operation,
  { merchants, merchant_id }: Extract<Caller, { kind: 'operator' }>,
): void {
  if (operation.scope === 'all-merchants' && merchants !== 'all') throw new ApiError('forbidden')
  const needsMerchant = operation.tenant && (operation.feed || operation.method !== 'GET')
  if (needsMerchant && merchant_id === undefined) {
    throw new ApiError(
      'invalid_request',
      'merchant_id: required, as the header X-Merchant-Id or the query parameter merchant_id',
    )
  }
}

/** Returns whether a caller may call an operation with its credential, for some merchant and some objects. */
export function mayCall(operation: Operation, caller: Caller): boolean {
  if (!operation.callers.includes(caller.kind)) return false
  try {
    // Whether an operator states a merchant is up to each call, and a user can confirm its login before it.
    authorize({ ...operation, tenant: false }, 'auth_time' in caller ? { ...caller, auth_time: undefined } : caller)
    return true
  } catch {
    return false
  }
}

/** A key without scopes may call everything that keys may call; one with scopes no operation without a group. */
function requireScope(operation: Operation, { scopes }: Extract<Caller, { kind: 'key' }>): void {
  if (!scopes || operation.scopeGroup === 'none') return
  const needed = keyScopeOf(operation)
  if (!needed) throw new ApiError('forbidden', 'no scope of an API key allows this operation')
  if (!scopes.includes(needed)) throw new ApiError('forbidden', `this API key does not have the scope ${needed}`)
}

/**
 * A caller without an access comes from a gateway of the release before, whose users all had the widest one. An access that this
 * release does not know allows nothing.
 */
function requireAccess(operation: Operation, { kind, access }: User): void {
  if (access === undefined) return
  const accesses = accessesOf(operation)[kind]
  if (!accesses.includes(access)) {
    throw new ApiError('forbidden', `the access ${access} does not allow this: expected ${accesses.join(' or ')}`)
  }
}

/**
 * Throws a 403 with the code `confirmation_required` if a user proved more than five minutes ago who it is. A user without a time
 * comes from a gateway of the release before. Other callers have no login that could be old.
 */
export function requireFreshLogin(caller: Caller): void {
  if (!('auth_time' in caller) || caller.auth_time === undefined) return
  if (Date.now() / 1000 - caller.auth_time <= freshSeconds) return
  throw new ApiError('confirmation_required', 'confirm the login at POST /api/auth/confirm and repeat the call')
}
