import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'

/** Takes the password from a setting, because a server may log statements that change roles. */
const createLogin = `
  do $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('cobro roles', 0));
    if not exists (select from pg_roles where rolname = 'cobro_on_call') then
      create role cobro_on_call;
    end if;
    execute format('alter role cobro_on_call login inherit password %L', current_setting('cobro.password'));
    grant cobro_operator to cobro_on_call;
  end
  $$`

/** Creates or updates the login of the on-call engineer with a new password, and returns both. */
export async function createOnCallLogin(client: Client): Promise<{ username: string; password: string }> {
  const password = randomBytes(18).toString('base64url')
  await client.query(`select set_config('cobro.password', $1, false)`, [password])
  await client.query(createLogin)
  return { username: 'cobro_on_call', password }
}
