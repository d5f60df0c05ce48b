import { ApiError } from '@cobro/contracts'
import type { EndpointRow } from './endpoint-entity.ts'

/** Rejects sending to a disabled endpoint. If it is disabled after this check, the delivery is cancelled when claimed. */
export function assertEndpointActive({ status }: EndpointRow): void {
  if (status === 'disabled') throw new ApiError('conflict', 'this webhook is disabled')
}
