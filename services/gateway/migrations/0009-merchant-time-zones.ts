import { migration } from '@cobro/database'

/** The time zones of merchants. The default is for rows that the release before inserts meanwhile. */
export const merchantTimeZones = migration(
  '0009-merchant-time-zones',
  `alter table merchants add column timezone text not null default 'America/Mexico_City';`,
)
