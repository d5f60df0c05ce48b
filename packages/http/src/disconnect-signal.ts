import type { Request } from 'express'

/** Returns a signal that is aborted when the client of a call disconnects, or has its response. */
export function disconnectSignal({ res: response }: Request): AbortSignal {
  const controller = new AbortController()
  response?.once('close', () => controller.abort())
  return controller.signal
}
