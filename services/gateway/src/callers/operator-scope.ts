import { ApiError, type Caller } from '@cobro/contracts'

/** The merchants that an operator acts for. */
export type OperatorScope = 'all' | readonly string[]

/** The scope of a call: the merchant that the operator states, else all of its own. */
export function operatorScope(caller: Caller): OperatorScope {
  if (caller.kind !== 'operator') throw new ApiError('forbidden')
  return caller.merchant_id === undefined ? caller.merchants : [caller.merchant_id]
}

/** Whether a scope is within another. */
export function scopeCovers(scope: OperatorScope, wanted: OperatorScope): boolean {
  if (scope === 'all') return true
  return wanted !== 'all' && wanted.every(id => scope.includes(id))
}
