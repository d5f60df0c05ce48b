import { migration } from '@cobro/database'

/**
 * When a login of a browser ends in any case; null for other logins, also those of the release before. The successor of a used
 * token is encrypted under that token, so that it can be answered again.
 */
export const browserLogins = migration(
  '0015-browser-logins',
  `alter table refresh_tokens
    add column ends_at timestamptz(3),
    add column successor_sealed text;`,
)
