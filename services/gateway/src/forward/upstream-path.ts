import type { Operation } from '@cobro/contracts'

/** Builds the service's request target from validated parameters, never from the client's path. */
export function upstreamPath(operation: Operation, params: Record<string, unknown>, target: string): string {
  const path = operation.path.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(String(params[name])))
  const start = target.indexOf('?')
  return start === -1 ? path : path + target.slice(start)
}
