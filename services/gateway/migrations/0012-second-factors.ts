import { migration } from '@cobro/database'

/**
 * Second factors of users: a TOTP secret, encrypted, and recovery codes, hashed. `last_step` is the newest step of 30 s of
 * which a code was accepted, so that none is accepted twice.
 */
export const secondFactors = migration(
  '0012-second-factors',
  `
  create table second_factors (
    user_id text primary key references users (id) on delete cascade,
    secret_sealed text not null,
    last_step bigint not null default 0,
    created_at timestamptz(3) not null,
    confirmed_at timestamptz(3)
  );

  create table recovery_codes (
    code_hash text primary key,
    user_id text not null references users (id) on delete cascade,
    used_at timestamptz(3)
  );
  create index recovery_codes_user on recovery_codes (user_id);
  `,
)
