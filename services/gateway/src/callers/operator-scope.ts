import { ApiError, type Caller, type Id } from '@cobro/contracts'

/** The merchants that an operator may act for. */
export type OperatorScope = 'all' | readonly Id<'mrc'>[]

/** Returns the merchant that the operator has selected, else all merchants of the operator. */
export function operatorScope(caller: Caller): OperatorScope {
  if (caller.kind !== 'operator') throw new ApiError('forbidden')
  return caller.merchant_id === undefined ? caller.merchants : [caller.merchant_id]
}

/** Returns whether `scope` includes all of `wanted`. */
export function scopeCovers(scope: OperatorScope, wanted: OperatorScope): boolean {
  if (scope === 'all') return true
  return wanted !== 'all' && wanted.every(id => scope.includes(id))
}
