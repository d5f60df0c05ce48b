import { type Measurement, observeCounter, observeGauge } from '@cobro/runtime'
import type { Spool, SpoolStats } from './open-spool.ts'

/** Registers metrics for what the spool contains and what it could not record. */
export function registerSpoolMetrics(spool: Pick<Spool, 'stats'>): void {
  const read = (pick: (stats: SpoolStats) => number) => (): Measurement[] => [{ value: pick(spool.stats()) }]
  const records = { description: 'Calls whose event the broker has not confirmed' }
  observeGauge(
    'cobro.spool.records',
    records,
    read(stats => stats.backlog_records),
  )
  const size = { description: 'What the spool keeps on the disk', unit: 'By' }
  observeGauge(
    'cobro.spool.size',
    size,
    read(stats => stats.backlog_bytes),
  )
  const age = { description: 'How long the oldest of these calls has waited', unit: 's' }
  observeGauge(
    'cobro.spool.age',
    age,
    read(stats => stats.oldest_ms / 1_000),
  )
  const failed = { description: 'Calls that the disk did not take, by what became of them' }
  observeCounter('cobro.spool.failed', failed, () => {
    const { refused, unspooled, lost } = spool.stats()
    return Object.entries({ refused, unspooled, lost }).map(([became, value]) => ({ value, attributes: { became } }))
  })
}
