import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'

/** Without the password, which a server may keep in its log with a statement, as it does with those that change roles. */
const login = `
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

/** Makes the login of whoever is on call, with a new password each time, which it gives. */
export async function createOnCallLogin(client: Client): Promise<{ username: string; password: string }> {
  const password = randomBytes(18).toString('base64url')
  await client.query(`select set_config('cobro.password', $1, false)`, [password])
  await client.query(login)
  return { username: 'cobro_on_call', password }
}
