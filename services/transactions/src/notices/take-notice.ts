import { type Acquirer, type AcquirerNotification, AcquirerUnavailable, type Headers } from '@cobro/acquirer'
import { ApiError, maskCardNumbers } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { currentCall, inCall, type Logger, updateCallContext } from '@cobro/runtime'
import { applyNotice } from './apply-notice.ts'

export interface NoticeDeps {
  db: Database
  acquirer: Acquirer
  logger: Logger
}

const acquirerActor = { type: 'acquirer', id: null } as const

/**
 * Takes what the acquirer tells on its own accord: kept and given its effect in one transaction, once, however often it comes.
 * What is about nothing that we know is kept all the same. Nobody is told why something is not believed.
 */
export async function takeNotice(deps: NoticeDeps, rawBody: Uint8Array, headers: Headers): Promise<void> {
  const notice = await readNotice(deps.acquirer, rawBody, headers)
  if (!notice) throw new ApiError('unauthorized')
  const correlation_id = await inCall({ actor: acquirerActor }, async () => {
    await storeAndApply(deps, notice)
    return currentCall().correlation_id
  })
  updateCallContext({ correlation_id })
}

async function readNotice(
  acquirer: Acquirer,
  rawBody: Uint8Array,
  headers: Headers,
): Promise<AcquirerNotification | undefined> {
  try {
    return await acquirer.readNotification(rawBody, headers)
  } catch (error) {
    if (error instanceof AcquirerUnavailable) throw new ApiError('unavailable', undefined, { cause: error })
    throw error
  }
}

async function storeAndApply({ db, logger }: NoticeDeps, notice: AcquirerNotification): Promise<void> {
  const { schema } = db
  await db.write(async (tx, emit) => {
    if (!(await store(tx, schema, notice))) return
    if (await applyNotice({ tx, emit, logger }, notice)) return
    const { id, of } = notice
    logger.warn({ notice_id: id, of, about: told(notice).subject }, 'a notice of the acquirer is about nothing known')
  })
}

/** Gives false where the notice came before. Another delivery at the same time waits for this one. */
async function store(tx: Tx, schema: string, notice: AcquirerNotification): Promise<boolean> {
  const { subject, payload } = told(notice)
  const stored = await tx.execute(
    `insert into ${schema}.acquirer_notices (id, type, subject, payload, received_at)
     values (?, ?, ?, ?::jsonb, now()) on conflict do nothing returning 1`,
    [notice.id, notice.of, subject, masked({ created_at: notice.created_at, ...payload })],
  )
  return stored.length > 0
}

/** The JSON of a payload. Names that the acquirer gives may pass for card numbers, and none of those is kept. */
function masked(payload: object): string {
  return JSON.stringify(payload, (_name, value) => (typeof value === 'string' ? maskCardNumbers(value) : value))
}

function told(notice: AcquirerNotification): { subject: string; payload: object } {
  switch (notice.of) {
    case 'dispute':
      return { subject: notice.dispute.reference, payload: notice.dispute }
    case 'unknown':
      return { subject: notice.type, payload: {} }
    default:
      return { subject: notice.key, payload: notice.outcome }
  }
}
