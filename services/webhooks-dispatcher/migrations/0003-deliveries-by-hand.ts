import { migration } from '@cobro/database'

/** Previous secrets that still sign, deliveries requested by callers, and hidden deliveries. */
export const deliveriesByHand = migration(
  '0003-deliveries-by-hand',
  `
  alter table endpoints
    add column previous_secret text,
    add column previous_secret_until timestamptz(3),
    add check ((previous_secret is null) = (previous_secret_until is null));

  -- A deleted delivery is not shown, but still records that its endpoint has received the event.
  alter table deliveries
    add column deleted_at timestamptz(3),
    add check (kind in ('auto', 'manual', 'test'));

  -- Null for a delivery that is tried again by the clock; else how many attempts it had before the single one that was asked for.
  alter table jobs add column one_shot_after integer;
  `,
)
