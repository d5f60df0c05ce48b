import { useQuery } from '@tanstack/react-query'
import { cobroOf, queries } from './cobro.ts'

const everyMs = 2_000
/** A bound for what a page reads every two seconds. Limits of attempts and of deliveries keep payments far below it. */
const mostEvents = 2_000
/** How often the lifecycle is read after a change of the payment. */
const reads = 4

/** What belongs to the life of a payment, and has a state of its own in it. */
export interface Living {
  correlation_id: string
  status: string
  refund_status?: string | null
}

const openStatuses = ['pending', 'active']

/**
 * Reads all events of the life of a payment, and the calls that may have changed something, the oldest first. Each look at the
 * payment is a call too, and is left out.
 */
export function readLifecycle(scope: string, correlationId: string, signal: AbortSignal) {
  return cobroOf(scope)
    .lifecycles.list(correlationId, { kind: ['event', 'write'], limit: 200, count: 'none' }, { signal })
    .toArray({ maxItems: mostEvents })
}

/** Reads what happened in the life of a payment, again whenever its state has changed. */
export function useLifecycle({ correlation_id, status, refund_status = null }: Living, scope: string) {
  return useQuery({
    queryKey: [scope, 'lifecycle', correlation_id, status, refund_status],
    queryFn: ({ signal }) => readLifecycle(scope, correlation_id, signal),
    placeholderData: (events, before) => (before?.queryKey[2] === correlation_id ? events : undefined),
    // What has just happened gets on record within a second or two.
    refetchInterval: ({ state }) =>
      state.status !== 'error' && (state.dataUpdateCount < reads || openStatuses.includes(status)) ? everyMs : false,
  })
}

/**
 * Reads what is shown of the life of a payment again after a change that leaves its state as it is. What the change led to gets on
 * record a moment later, so that it is read more than once.
 */
export async function renewLifecycle(scope: string): Promise<void> {
  for (let read = 0; read < reads; read++) {
    await queries.invalidateQueries({ queryKey: [scope, 'lifecycle'] })
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
}
