import { migration } from '@cobro/database'

/** Scopes of API keys. Existing keys have none, which means that they are not limited. */
export const apiKeyScopes = migration('0006-key-scopes', 'alter table api_keys add column scopes text[];')
