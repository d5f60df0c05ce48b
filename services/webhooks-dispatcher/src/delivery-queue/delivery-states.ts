import type { DeliveryStatus } from './delivery-entity.ts'

const final: Record<DeliveryStatus, boolean> = {
  pending: false,
  delivering: false,
  succeeded: true,
  failed: true,
  exhausted: true,
  cancelled: true,
}

/** Tells whether a delivery has come to its end: nothing more is sent unless somebody asks for it. */
export function isFinal(status: DeliveryStatus): boolean {
  return final[status]
}
