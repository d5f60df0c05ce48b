import { actorOf, type Caller, type Operation } from '@cobro/contracts'
import type { Request } from 'express'
import { callOf } from '../calls/open-call.ts'
import { type CallerDeps, findCaller } from './find-caller.ts'
import { selectedMerchants } from './selected-merchant.ts'

/**
 * Identifies the caller of a request and stores it on the call.
 * Operations for payers or the acquirer alone read no credential; the service verifies the acquirer's signature.
 */
export async function identifyCaller(
  deps: CallerDeps,
  request: Request,
  operation: Pick<Operation, 'id' | 'callers'>,
): Promise<Caller> {
  const headers = request.headersDistinct
  const selected = selectedMerchants(request.url, headers['x-merchant-id'])
  const call = callOf(request)
  call.operation_id = operation.id
  const claims = { headers, selected: selected.ids, address: call.ip }
  const caller = callerWithout(operation) ?? (await findCaller(deps, claims))
  call.actor = actorOf(caller)
  call.merchant_id = ('merchant_id' in caller ? caller.merchant_id : undefined) ?? null
  return caller
}

/** Returns the caller of an operation that takes no credential. */
function callerWithout({ callers }: Pick<Operation, 'callers'>): Caller | undefined {
  return (['payer', 'acquirer'] as const).map(kind => ({ kind })).find(({ kind }) => callers.every(one => one === kind))
}
