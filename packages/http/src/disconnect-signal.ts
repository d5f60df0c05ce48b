import type { Request } from 'express'

/** Returns a signal that is aborted when the client of a call disconnects, or has its response. */
export function disconnectSignal({ res: response }: Request): AbortSignal {
  const controller = new AbortController()
  // It may have disconnected while it was identified.
  if (response?.closed) controller.abort()
  else response?.once('close', () => controller.abort())
  return controller.signal
}
