import { type AcquirerNotification, type Headers, rejectUnavailable } from '@cobro/acquirer'
import { ApiError, maskCardNumbers } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { currentCall, type Logger, meter, updateCallContext, withCallContext } from '@cobro/runtime'
import type { AcquirerDeps } from '../acquirer/acquirer-deps.ts'
import { Contradiction } from '../acquirer/contradiction.ts'
import { applyNotification } from './apply-notification.ts'

export interface NotificationDeps extends AcquirerDeps {
  logger: Logger
}

const contradictions = meter.createCounter('cobro_contradicting_notifications_total', {
  description: 'Notifications of the acquirer that contradict what is stored',
})
// A series that starts with its first failure shows no increase.
contradictions.add(0)

const acquirerActor = { type: 'acquirer', id: null } as const

/**
 * Verifies a notification, then stores and applies it in one transaction, once per id.
 * Stores a notification that contradicts what is stored, or is about something unknown, too. Answers a rejected signature without a reason.
 */
export async function receiveNotification(deps: NotificationDeps, rawBody: Uint8Array, headers: Headers) {
  const notification = await deps.acquirer.readNotification(rawBody, headers).catch(rejectUnavailable)
  if (!notification) throw new ApiError('unauthorized')
  const correlation_id = await withCallContext({ actor: acquirerActor }, async () => {
    await storeAndApply(deps, notification)
    return currentCall().correlation_id
  })
  updateCallContext({ correlation_id })
}

async function storeAndApply({ db, logger }: NotificationDeps, notification: AcquirerNotification): Promise<void> {
  const result = await db.write(async (tx, emit) => {
    if (!(await store(tx, notification))) return 'repeated'
    return applyNotification({ tx, emit, logger }, notification).catch((error: unknown) => {
      if (error instanceof Contradiction) return error
      throw error
    })
  })
  const { id, of } = notification
  const fields = { notification_id: id, of, subject: contentOf(notification).subject }
  if (result === false) logger.warn(fields, 'an acquirer notification is about something unknown')
  if (!(result instanceof Contradiction)) return
  contradictions.add(1)
  logger.error({ ...fields, err: result }, 'an acquirer notification contradicts what is stored')
}

/** Returns false if the notification is stored already. Waits for a concurrent delivery. */
async function store(tx: Tx, notification: AcquirerNotification): Promise<boolean> {
  const { subject, payload } = contentOf(notification)
  const stored = await tx.execute(
    `insert into transactions.acquirer_notices (id, type, subject, payload, received_at)
     values (?, ?, ?, ?::jsonb, now()) on conflict do nothing returning 1`,
    [notification.id, notification.of, subject, maskedJson({ created_at: notification.created_at, ...payload })],
  )
  return stored.length > 0
}

/** Serializes a payload with card numbers masked, because the acquirer's ids may look like them. */
function maskedJson(payload: object): string {
  return JSON.stringify(payload, (_name, value) => (typeof value === 'string' ? maskCardNumbers(value) : value))
}

function contentOf(notification: AcquirerNotification): { subject: string; payload: object } {
  switch (notification.of) {
    case 'dispute':
      return { subject: notification.dispute.reference, payload: notification.dispute }
    case 'unknown':
      return { subject: notification.type, payload: {} }
    default:
      return { subject: notification.key, payload: notification.outcome }
  }
}
