import { ApiError, accessesOf, type Caller, keyScopeOf, operations } from '@cobro/contracts'

/**
 * Throws a 403 if an API key with these scopes could do what the user who makes it may not. `null` scopes are all that keys can
 * do.
 */
export function rejectWiderScopes(caller: Caller, scopes: readonly string[] | null): void {
  if (caller.kind !== 'client' && caller.kind !== 'operator') return
  const { kind, access } = caller
  if (access === undefined) return
  const beyond = new Set<string>()
  for (const operation of operations) {
    const scope = keyScopeOf(operation)
    const isGiven = scope !== undefined && (scopes === null || scopes.includes(scope))
    if (isGiven && operation.callers.includes(kind) && !accessesOf(operation)[kind].includes(access)) beyond.add(scope)
  }
  if (beyond.size === 0) return
  const named = [...beyond].join(', ')
  throw new ApiError('forbidden', `scopes: the access ${access} cannot give ${named}: list the scopes of the key`)
}
