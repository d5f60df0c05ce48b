import { ApiError, type Caller, needsAllMerchants, type Operation } from '@cobro/contracts'

/**
 * Refuses a caller whose kind the operation does not name, an operator of some merchants where it takes one of all, and an
 * operator who wants to change a merchant's data without saying which merchant's. Whose object it is, is compared where the
 * object is loaded.
 */
export function authorize(operation: Operation, caller: Caller): void {
  if (operation.callers.includes('payer') && caller.kind === 'payer') return
  if (caller.kind === 'payer') throw new ApiError('unauthorized')
  if (!operation.callers.includes(caller.kind) && !operation.callers.includes('payer')) throw new ApiError('forbidden')
  const limited = caller.kind === 'operator' && caller.merchants !== 'all'
  if (limited && needsAllMerchants.has(operation.id)) throw new ApiError('forbidden')
  const writes = operation.method !== 'GET'
  if (writes && operation.tenant && caller.kind === 'operator' && caller.merchant_id === undefined) {
    throw new ApiError(
      'invalid_request',
      'merchant_id: required, as the header X-Merchant-Id or the query parameter merchant_id',
    )
  }
}
