import { migration } from '@cobro/database'

/** When the user of a login last proved who it is. The default, long ago, is for logins of the release before. */
export const timesOfLogins = migration(
  '0011-times-of-logins',
  `alter table refresh_tokens add column authenticated_at timestamptz(3) not null default 'epoch';`,
)
