import type { ChargeRequest } from '@cobro/acquirer'
import { type Logger, sleepUnlessAborted } from '@cobro/runtime'
import type { Response } from 'express'
import { type CreateChargeDeps, createCharge } from './create-charge.ts'
import { chargeResponseAt } from './decide-charge.ts'

export interface ChargeDeps extends CreateChargeDeps {
  logger: Logger
  /** Ends the delays of slow responses when the service stops. */
  stopping: AbortSignal
}

/** Creates a charge and responds as its card demands: at once, late, or by a cut connection. */
export async function respondToCharge(deps: ChargeDeps, request: ChargeRequest, response: Response): Promise<void> {
  const { charge, answer } = await createCharge(deps, request)
  const { key, reference, status, response_code } = charge
  deps.logger.info({ key, reference, status, response_code, answer }, 'charge')
  if (answer === 'cut') return void response.socket?.destroy()
  const leftMs = () => charge.settles_at.getTime() - Date.now()
  // Loops, because a timer may fire a millisecond early.
  while (answer === 'slow' && leftMs() > 0 && !deps.stopping.aborted) await sleepUnlessAborted(leftMs(), deps.stopping)
  response.json(chargeResponseAt(charge, new Date()))
}
