import type { Approval } from './generated/types.ts'

/**
 * Returns whether the result of an operator's call is an approval: then the call has no effect until a second operator approves
 * it. The result of any other call is the object itself.
 */
export function isApproval(result: { id: string }): result is Approval {
  return result.id.startsWith('apr_')
}
