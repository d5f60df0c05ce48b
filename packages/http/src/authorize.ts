import { ApiError, type Caller, type Operation } from '@cobro/contracts'

/**
 * Rejects a caller whose kind the operation does not allow, an operator of some merchants where the operation needs the scope of
 * all, and an operator who writes a merchant's data without stating the merchant. Whether the object is the caller's is checked
 * where the object is loaded.
 */
export function authorize(operation: Operation, caller: Caller): void {
  if (operation.callers.includes('payer') && caller.kind === 'payer') return
  if (caller.kind === 'payer') throw new ApiError('unauthorized')
  if (!operation.callers.includes(caller.kind) && !operation.callers.includes('payer')) throw new ApiError('forbidden')
  const limited = caller.kind === 'operator' && caller.merchants !== 'all'
  if (limited && operation.scope === 'all-merchants') throw new ApiError('forbidden')
  const writes = operation.method !== 'GET'
  if (writes && operation.tenant && caller.kind === 'operator' && caller.merchant_id === undefined) {
    throw new ApiError(
      'invalid_request',
      'merchant_id: required, as the header X-Merchant-Id or the query parameter merchant_id',
    )
  }
}
