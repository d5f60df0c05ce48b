import { migration } from '@cobro/database'

/**
 * What rules against card testing count and block. Attempts of the previous release have neither address nor card, so that
 * only the rules on sessions, links and merchants count them.
 */
export const paymentBlocks = migration(
  '0012-payment-blocks',
  `
  alter table payment_attempts add column address_digest text;
  alter table payment_attempts add column card_fingerprint text;
  alter table checkout_sessions add column blocked_emitted_at timestamptz(3);
  alter table payment_links add column blocked_emitted_at timestamptz(3);
  create table payment_blocks (
    id text primary key,
    rule text not null,
    subject text not null,
    payable_id text not null,
    merchant_id text not null,
    correlation_id text not null,
    max_attempts integer not null,
    window_seconds integer not null,
    created_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    lifted_at timestamptz(3)
  );
  create index payment_blocks_subject on payment_blocks (subject, ends_at);
  create index payment_blocks_newest on payment_blocks (merchant_id, created_at desc, id desc);
  create index payment_blocks_payable on payment_blocks (payable_id);
  grant select (id, rule, payable_id, merchant_id, correlation_id, max_attempts, window_seconds, created_at, ends_at, lifted_at)
    on payment_blocks to cobro_operator;
  `,
)
