import type { LifecycleEvent } from '@cobro/sdk/admin'

/** Returns the call that reads a payment, for a shell. The key stays in the environment of who runs it. */
export function readCallOf(id: string, origin: string): string {
  return `curl ${origin}/api/transactions/${id} -H "Authorization: Token $COBRO_API_KEY"`
}

/** A trace of a payment's lifecycle, with when its first event happened. */
export interface Trace {
  id: string
  at: string
  url: string
}

/** Returns the traces of a lifecycle, each once, where `template` has `{trace_id}` in place of the id. */
export function tracesOf(
  events: readonly Pick<LifecycleEvent, 'trace_id' | 'occurred_at'>[],
  template: string,
): Trace[] {
  const traces = new Map<string, Trace>()
  for (const { trace_id: id, occurred_at: at } of events)
    if (id !== null && !traces.has(id)) traces.set(id, { id, at, url: template.replace('{trace_id}', id) })
  return [...traces.values()]
}
