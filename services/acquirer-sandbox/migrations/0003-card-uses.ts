import { migration } from '@cobro/database'

/**
 * For which attempt each encrypted card was used. Pages that were open before this migration
 * encrypt cards for no payment, which is accepted for another day. A new sandbox has none.
 */
export const cardUses = migration(
  '0003-card-uses',
  `
  create table card_uses (
    jti text primary key,
    attempt text not null,
    token text not null,
    used_at timestamptz(3) not null
  );
  create table unbound_cards (
    single boolean primary key default true check (single),
    accepted_until timestamptz(3) not null
  );
  insert into unbound_cards (accepted_until)
    select case when exists (select from tokens) then now() + interval '24 hours' else '-infinity' end;
  `,
)
