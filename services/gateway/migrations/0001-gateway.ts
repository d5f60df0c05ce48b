import { messageTables, migration } from '@cobro/database'

/** Merchants, users, API keys and tables of logins. Secrets are only stored hashed or encrypted. */
export const gatewayTables = migration(
  '0001-gateway',
  `
  ${messageTables}
  create table merchants (
    id text primary key,
    name text not null,
    legal_name text not null,
    rfc text,
    country text not null,
    currency text not null,
    status text not null check (status in ('active', 'disabled')),
    version integer not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index merchants_newest on merchants (created_at desc, id desc);

  create table users (
    id text primary key,
    email text not null constraint users_email unique check (email = lower(email)),
    name text,
    password_hash text,
    role text not null check (role in ('operator', 'client')),
    merchant_id text references merchants (id),
    merchants jsonb,
    status text not null check (status in ('active', 'disabled')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    -- A client is anchored to one merchant; an operator has a list of them, or all.
    check ((role = 'client') = (merchant_id is not null)),
    check ((role = 'operator') = (merchants is not null))
  );
  create index users_merchant on users (merchant_id);

  create table api_keys (
    id text primary key,
    merchant_id text not null references merchants (id),
    name text not null,
    key_masked text not null,
    pepper_id text not null,
    key_hash text not null constraint api_keys_hash unique,
    status text not null check (status in ('active', 'revoked')),
    last_used_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index api_keys_newest on api_keys (merchant_id, created_at desc, id desc);

  create table signing_keys (
    kid text primary key,
    public_jwk jsonb not null,
    private_sealed text not null,
    created_at timestamptz(3) not null,
    -- Signs no more from then on; verifies until the last token that it signed has run out.
    retired_at timestamptz(3)
  );

  create table refresh_tokens (
    token_hash text primary key,
    family_id text not null,
    user_id text not null references users (id),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  create index refresh_tokens_family on refresh_tokens (family_id);
  create index refresh_tokens_user on refresh_tokens (user_id);
  create index refresh_tokens_expiry on refresh_tokens (expires_at);

  -- The account is kept as a hash: what is typed there may be anything, a password included.
  create table login_failures (
    id bigint generated always as identity primary key,
    account_hash text not null,
    address text not null,
    failed_at timestamptz not null default now()
  );
  create index login_failures_address on login_failures (address, failed_at desc);
  create index login_failures_age on login_failures (failed_at);
  `,
)
