import { type Database, observeQuery } from '@cobro/database'

/** Registers the age of the oldest call that waits for an approval. */
export function registerApprovalMetrics(db: Database): void {
  const age = { description: 'Age of the oldest call that waits for a second operator', unit: 's' }
  observeQuery(db, 'cobro_approval_oldest_age_seconds', age, oldestApproval)
}

const oldestApproval = `
  select extract(epoch from now() - created_at)::float8 as value from transactions.approvals
  where status = 'pending' order by lapses_at limit 1`
