import type { Database } from '@cobro/database'
import { openStatuses, sqlStatuses } from '../payment-attempts/payment-attempt-states.ts'

/**
 * Returns a version by id for each existing session or link. It changes whenever the payer's view
 * changes: every part of the view is in the version or changes together with a part of it.
 */
export async function findPayableVersions(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const { schema } = db
  // Ids contain no character that needs quoting in an array literal.
  const all = `{${ids.join(',')}}`
  const rows = await db.execute<{ id: string; version: string }>(
    `select p.id, concat_ws(' ', p.status, p.changed_at, p.expires_at, p.decline_count, a.number, a.status, m.version) as version
     from (
       select id, merchant_id, status, modified_at as changed_at, expires_at, decline_count
         from ${schema}.checkout_sessions where id = any (?::text[])
       union all
       select id, merchant_id, status, updated_at, expires_at, decline_count
         from ${schema}.payment_links where id = any (?::text[])
     ) p
     left join ${schema}.payment_attempts a on a.payable_id = p.id and a.status in (${sqlStatuses(openStatuses)})
     left join ${schema}.merchants m on m.id = p.merchant_id`,
    [all, all],
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}
