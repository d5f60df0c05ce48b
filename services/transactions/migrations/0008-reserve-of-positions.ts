import { migration } from '@cobro/database'

/** The rolling reserve that holds part of a capture; for existing holds, the most likely one. */
export const reserveOfPositions = migration(
  '0008-reserve-of-positions',
  `
  alter table ledger_positions add column reserve_id text;
  update ledger_positions position set reserve_id = (
    select id from rolling_reserves reserve
    where reserve.merchant_id = position.merchant_id and reserve.currency = position.currency
    order by active desc, created_at desc limit 1)
  where hold_until is not null;
  create index ledger_positions_reserve on ledger_positions (reserve_id) include (reserve_cents) where reserve_cents <> 0;
  `,
)
