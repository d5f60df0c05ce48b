import type { Operation } from '@cobro/contracts'

/**
 * The request target for a service, made from the operation's own path and parameters that were checked, never from the path
 * that the client wrote.
 */
export function upstreamPath(operation: Operation, params: Record<string, unknown>, target: string): string {
  const path = operation.path.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(String(params[name])))
  const start = target.indexOf('?')
  return start === -1 ? path : path + target.slice(start)
}
