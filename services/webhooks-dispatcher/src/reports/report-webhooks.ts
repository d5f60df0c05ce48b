import type { Caller, Id, ReportRange } from '@cobro/contracts'
import { type Database, getRow, type Reader, reportSums, scopeOf } from '@cobro/database'
import { EndpointEntity } from '../webhooks/endpoint-entity.ts'
import { type LatencyCounts, latencyColumns, latencyPercentile } from './latency-classes.ts'
import { type QueuesOf, waitingDeliveries } from './waiting-deliveries.ts'

interface Query extends ReportRange {
  webhook_id?: Id<'whk'> | undefined
}

const counted = ['attempts', 'succeeded', 'failed', 'exhausted'] as const

/** Reports how attempts went, and how many deliveries wait. Reads neither attempts nor deliveries, but their hourly counts. */
export function reportWebhooks({ db }: { db: Database }, caller: Caller, { webhook_id, ...range }: Query) {
  return db.read(async em => {
    const as_of = new Date()
    const reported = await reportedBy(em, caller, webhook_id)
    const { rows, totals, previous, compared } = await reportSums(em, range, as_of, {
      from: 'webhooks.attempt_totals',
      columns: [...counted, ...latencyColumns],
      where: 'scope = any(?::text[])',
      params: [`{${scopesOf(reported)}}`],
    })
    return {
      ...{ ...range, as_of },
      rows: rows.map(row => ({ start: row.start, ...shown(row) })),
      ...{ totals: shown(totals), previous: shown(previous) },
      compared: { to: compared.to, totals: shown(compared.totals), previous: shown(compared.previous) },
      ...(await waitingDeliveries(em, reported)),
    }
  })
}

/** Returns what the caller asks for. Each endpoint, each merchant and all together are counted under a scope of their own. */
async function reportedBy(em: Reader, caller: Caller, webhookId: Id<'whk'> | undefined): Promise<QueuesOf> {
  if (webhookId !== undefined) return { webhookIds: [(await getRow(em, EndpointEntity, caller, webhookId)).id] }
  const { merchant_id } = scopeOf(caller)
  if (merchant_id === undefined) return 'all'
  return { merchantIds: typeof merchant_id === 'string' ? [merchant_id] : merchant_id.$in }
}

function scopesOf(reported: QueuesOf): string[] {
  if (reported === 'all') return [reported]
  return 'webhookIds' in reported ? reported.webhookIds : reported.merchantIds
}

function shown(sums: Record<(typeof counted)[number], number> & LatencyCounts) {
  const { attempts, succeeded, failed, exhausted } = sums
  const percentiles = { p50_ms: latencyPercentile(sums, 0.5), p95_ms: latencyPercentile(sums, 0.95) }
  return { attempts, succeeded, failed, exhausted, ...percentiles }
}
