import type { ListRequestsParams } from '@cobro/sdk/admin'
import type { ListParams } from '../../address/list-search.ts'

/** Looks for a request by its id where the text is one, and else for the calls of an operation: the API searches no text. */
export function lookUpRequests({ search, ...params }: ListParams): ListRequestsParams {
  const text = search?.trim()
  if (!text) return params
  return { ...params, ...(/^req_\w+$/.test(text) ? { request_id: text } : { operation_id: text }) }
}
