import type { LifecycleEvent } from '@cobro/sdk/admin'

/** A row of a timeline: an event with the call that caused it, or a call that caused no event. */
export interface TimelineRow<E> {
  event: E
  call: E | undefined
}

export const isCall = ({ action }: Pick<LifecycleEvent, 'action'>): boolean => action === 'http.request'

/** Folds each call under the first event that it caused. All other rows stay where they are. */
export function timelineRows<E extends Pick<LifecycleEvent, 'action' | 'request_id'>>(
  events: readonly E[],
): TimelineRow<E>[] {
  const calls = new Map(events.filter(isCall).map(call => [call.request_id, call]))
  const causes = new Map<E, E>()
  for (const event of events) {
    const { request_id } = event
    const call = request_id === null || isCall(event) ? undefined : calls.get(request_id)
    if (!call) continue
    causes.set(event, call)
    calls.delete(request_id)
  }
  const folded = new Set(causes.values())
  return events.filter(event => !folded.has(event)).map(event => ({ event, call: causes.get(event) }))
}
