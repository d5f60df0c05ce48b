import { ApiError } from '@cobro/contracts'
import type { EndpointRow } from './endpoint-entity.ts'

/** Refuses to send to an endpoint that takes nothing. What is disabled at this very moment is cancelled when it is claimed. */
export function refuseDisabled({ status }: EndpointRow): void {
  if (status === 'disabled') throw new ApiError('conflict', 'this webhook is disabled')
}
