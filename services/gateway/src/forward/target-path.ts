import type { Operation } from '@cobro/contracts'

/**
 * The request target for a service, made from the operation's own path and parameters that were checked, never from what the
 * client wrote. The merchant that an operator states travels in its identity, so it is taken out of the query.
 */
export function targetPath(operation: Operation, params: Record<string, unknown>, query: URLSearchParams): string {
  const path = operation.path.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(String(params[name])))
  const rest = new URLSearchParams(query)
  rest.delete('merchant_id')
  return rest.size === 0 ? path : `${path}?${rest}`
}

/** The query of a request target. */
export function queryOf(target: string): URLSearchParams {
  const start = target.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : target.slice(start + 1))
}
