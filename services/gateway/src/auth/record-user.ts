import type { Request } from 'express'
import { callOf } from '../calls/open-call.ts'
import type { UserRow } from '../users/user-entity.ts'

/** Records the user in the call's audit record, since the call itself came without a credential. */
export function recordUser(
  request: Request,
  { id, role, merchant_id }: Pick<UserRow, 'id' | 'role' | 'merchant_id'>,
): void {
  const call = callOf(request)
  call.actor = { type: role, id }
  call.merchant_id = merchant_id
}
