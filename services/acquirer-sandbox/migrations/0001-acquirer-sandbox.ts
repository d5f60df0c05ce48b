import { migration } from '@cobro/database'

/**
 * Keys, card tokens and charges. A token stores the card's behavior; no column has a card number.
 * The primary key of `charges` allows one charge or one reversal per key, whichever comes first.
 */
export const acquirerSandboxTables = migration(
  '0001-acquirer-sandbox',
  `
  create table encryption_keys (
    kid text primary key,
    public_jwk jsonb not null,
    private_jwk_sealed text not null,
    created_at timestamptz(3) not null
  );

  create table tokens (
    token text primary key,
    brand text not null,
    last4 text not null,
    exp_month integer not null,
    exp_year integer not null,
    behaviour text not null,
    created_at timestamptz(3) not null
  );

  create table charges (
    key text primary key,
    reference text not null unique,
    token text,
    amount_cents bigint check (amount_cents > 0),
    currency text,
    status text not null check (status in ('approved', 'declined', 'failed', 'reversed')),
    response_code text,
    risk_score integer check (risk_score between 0 and 100),
    settles_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    constraint charges_reversed check ((status = 'reversed') = (token is null and amount_cents is null and currency is null))
  );
  `,
)
