import { type Measurement, observeCounter, observeGauge } from '@cobro/runtime'
import type { Spool, SpoolStats } from './open-spool.ts'

/** Registers metrics for what the spool contains and what it could not record. */
export function registerSpoolMetrics(spool: Pick<Spool, 'stats'>): void {
  const read = (pick: (stats: SpoolStats) => number) => (): Measurement[] => [{ value: pick(spool.stats()) }]
  const records = { description: 'Calls whose event the broker has not confirmed' }
  const readRecords = read(stats => stats.backlog_records)
  observeGauge('cobro_spool_records', records, readRecords)
  const size = { description: 'Size of the spool on disk', unit: 'By' }
  const readBytes = read(stats => stats.backlog_bytes)
  observeGauge('cobro_spool_size_bytes', size, readBytes)
  const age = { description: 'Age of the oldest call whose event the broker has not confirmed', unit: 's' }
  const readAge = read(stats => stats.oldest_ms / 1_000)
  observeGauge('cobro_spool_oldest_age_seconds', age, readAge)
  const failures = { description: 'Calls that could not be written to the spool, by outcome' }
  observeCounter('cobro_spool_failures_total', failures, () => {
    const { rejected, unrecorded, lost } = spool.stats()
    return Object.entries({ rejected, unrecorded, lost }).map(([outcome, value]) => ({
      value,
      attributes: { outcome },
    }))
  })
}
