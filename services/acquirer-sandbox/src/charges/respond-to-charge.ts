import { setTimeout as sleep } from 'node:timers/promises'
import type { ChargeRequest } from '@cobro/acquirer'
import type { Logger } from '@cobro/runtime'
import type { Response } from 'express'
import { type CreateChargeDeps, createCharge } from './create-charge.ts'
import { chargeResponseAt } from './decide-charge.ts'

export interface ChargeDeps extends CreateChargeDeps {
  logger: Logger
  /** Ends the delays of slow responses when the service stops. */
  stopping: AbortSignal
}

/** Creates a charge and responds as its card demands: at once, late, or by cutting the connection. */
export async function respondToCharge(deps: ChargeDeps, request: ChargeRequest, response: Response): Promise<void> {
  const { charge, answer } = await createCharge(deps, request)
  const { key, reference, status, response_code } = charge
  deps.logger.info({ key, reference, status, response_code, answer }, 'charge')
  if (answer === 'cut') return void response.socket?.destroy()
  if (answer === 'slow') await sleepUntil(charge.settles_at, deps.stopping)
  response.json(chargeResponseAt(charge, new Date()))
}

/** Sleeps until a time. Loops, because a timer may fire a millisecond early. */
async function sleepUntil(time: Date, signal: AbortSignal): Promise<void> {
  for (let leftMs = time.getTime() - Date.now(); leftMs > 0 && !signal.aborted; leftMs = time.getTime() - Date.now()) {
    await sleep(leftMs, undefined, { signal }).catch(() => undefined)
  }
}
