import { setTimeout as sleep } from 'node:timers/promises'
import type { ChargeRequest } from '@cobro/acquirer'
import type { Logger } from '@cobro/runtime'
import type { Response } from 'express'
import { tellCharge } from './judge-charge.ts'
import { type TakeChargeDeps, takeCharge } from './take-charge.ts'

export interface ChargeDeps extends TakeChargeDeps {
  logger: Logger
  /** Ends the waits of slow answers when the service stops. */
  stopping: AbortSignal
}

/** Takes a charge and answers it as its card wants: at once, late, or by cutting the connection. */
export async function answerCharge(deps: ChargeDeps, request: ChargeRequest, response: Response): Promise<void> {
  const { charge, answer } = await takeCharge(deps, request)
  const { key, reference, status, response_code } = charge
  deps.logger.info({ key, reference, status, response_code, answer }, 'charge')
  if (answer === 'cut') return void response.socket?.destroy()
  if (answer === 'slow') await sleepUntil(charge.settles_at, deps.stopping)
  response.json(tellCharge(charge, new Date()))
}

/** A timer may fire a millisecond before the clock says so. */
async function sleepUntil(time: Date, signal: AbortSignal): Promise<void> {
  for (let leftMs = time.getTime() - Date.now(); leftMs > 0 && !signal.aborted; leftMs = time.getTime() - Date.now()) {
    await sleep(leftMs, undefined, { signal }).catch(() => undefined)
  }
}
