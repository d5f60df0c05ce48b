import { migration } from '@cobro/database'

/**
 * Mails to send, written with the change that they report, and those of the last 30 days. `next_attempt_at` is also the end
 * of a sender's lease. `token_sealed` is a single-use token, encrypted, until the mail has been sent.
 */
export const mails = migration(
  '0013-mails',
  `
  create table mails (
    id text primary key,
    kind text not null,
    recipient text not null,
    user_id text references users (id) on delete cascade,
    merchant_id text,
    language text not null check (language in ('es', 'en')),
    data jsonb not null,
    token_sealed text,
    status text not null default 'pending' check (status in ('pending', 'sent', 'bounced', 'given_up')),
    attempts integer not null default 0,
    created_at timestamptz(3) not null default now(),
    next_attempt_at timestamptz(3) not null default now(),
    gives_up_at timestamptz(3) not null,
    sent_at timestamptz(3),
    last_error text,
    check (token_sealed is null or status = 'pending')
  );
  create index mails_due on mails (next_attempt_at) where status = 'pending';
  create index mails_recent on mails (lower(recipient), kind, created_at);
  create index mails_user on mails (user_id);
  create index mails_age on mails (created_at);

  -- For the runbook: neither addresses nor what mails say.
  grant select (id, kind, merchant_id, status, attempts, created_at, next_attempt_at, sent_at, last_error)
    on mails to cobro_operator;
  `,
)
