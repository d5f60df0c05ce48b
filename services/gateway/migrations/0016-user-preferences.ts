import { migration } from '@cobro/database'

/** How users want to see the dashboard: what they have set, as JSON. They end with the user. */
export const userPreferences = migration(
  '0016-user-preferences',
  `
  create table user_preferences (
    user_id text primary key references users (id) on delete cascade,
    version integer not null,
    preferences jsonb not null,
    updated_at timestamptz(3) not null
  );
  `,
)
