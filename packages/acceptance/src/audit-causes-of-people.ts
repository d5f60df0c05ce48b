import { generate } from 'otplib'
import { userClient } from './api-client.ts'
import { type AuditWorld, type Causes, type Deed, type Happening, system } from './audit-world.ts'

const password = 'a long enough password'

interface TestUser {
  id: string
  email: string
  setup_token: string
}

/** Triggers the actions of merchants, users, logins and API keys. */
export function causesOfPeople(world: AuditWorld): Causes {
  return {
    ...ofMerchants(world),
    ...ofUsers(world),
    ...ofLogins(world),
    ...ofKeys(world),
    ...ofPayers(world),
    ...ofSigningKeys(world),
  }
}

function ofMerchants({ by, stack }: AuditWorld): Causes {
  let id = ''
  const path = () => `/api/merchants/${id}`
  const done = ({ did }: Deed): Happening => did(id, { merchant_id: id })
  return {
    'merchant.created': [
      async () => {
        const deed = await by('operator', 'POST', '/api/merchants', { name: 'Café', legal_name: 'Café SA de CV' })
        id = deed.body.data.id
        return done(deed)
      },
    ],
    'merchant.updated': [async () => done(await by('operator', 'PUT', path(), { status: 'disabled' }))],
    'merchant.deleted': [async () => done(await by('operator', 'DELETE', path()))],
    'merchant.resynced': [
      async () => {
        await stack.command('gateway', 'resync-merchants')
        return { target_id: id, ...system, correlation_id: null, merchant_id: id }
      },
    ],
  }
}

let users = 0
/** A user without a password yet. */
async function newUser({ by, merchant_id }: AuditWorld): Promise<{ deed: Deed; user: TestUser }> {
  const email = `user-${++users}@audit.test`
  const deed = await by('operator', 'POST', '/api/users', { email, role: 'client', merchant_id })
  const { data, setup_token } = deed.body
  return { deed, user: { id: data.id, email, setup_token } }
}

function ofUsers(world: AuditWorld): Causes {
  const about = async (act: (path: string) => Promise<Deed>) => {
    const { id } = (await newUser(world)).user
    return (await act(`/api/users/${id}`)).did(id)
  }
  return {
    'user.created': [
      async () => {
        const { deed, user } = await newUser(world)
        return deed.did(user.id)
      },
    ],
    'user.updated': [() => about(path => world.by('operator', 'PUT', path, { status: 'disabled' }))],
    'user.setup_token_issued': [() => about(path => world.by('operator', 'POST', `${path}/setup-token`, {}))],
    'user.deleted': [() => about(path => world.by('operator', 'DELETE', path))],
  }
}

/** A successful login is recorded under its user; a failed one has no actor. */
function ofLogins(world: AuditWorld): Causes {
  const { by, call } = world
  const post = (path: string, body: object) => by('payer', 'POST', `/api/auth/${path}`, body)
  const as = ({ id }: TestUser) => ({ actor: { type: 'client', id } })
  async function userWithPassword() {
    const { user } = await newUser(world)
    return { user, deed: await post('password', { token: user.setup_token, password }) }
  }
  async function loggedIn() {
    const { user } = await userWithPassword()
    const deed = await post('login', { email: user.email, password })
    return { user, deed, refresh: { refresh_token: deed.body.refresh_token as string } }
  }
  /** A user who calls with a login of its own. */
  async function ownCaller() {
    const { user } = await loggedIn()
    const client = await userClient(world.stack.stack.base_url, { email: user.email, password })
    return { id: user.id, user, client }
  }
  /** A user with a second factor, and the call that added it. */
  async function withFactor() {
    const { user, ...caller } = await ownCaller()
    const { secret } = (await world.asUser(caller, 'POST', '/api/me/factor')).body.data
    const code = await generate({ secret })
    const adding = await world.asUser(caller, 'POST', '/api/me/factor/confirm', { code })
    return { user, adding, codes: adding.body.data.recovery_codes as string[] }
  }
  return {
    'auth.password_set': [
      async () => {
        const { user, deed } = await userWithPassword()
        return deed.did(user.id, as(user))
      },
    ],
    'auth.password_reset_requested': [
      async () => {
        const { user } = await userWithPassword()
        return (await call('payer', 'POST', '/api/auth/password/reset', { email: user.email })).did(user.id)
      },
    ],
    'auth.password_refused': [
      async () => {
        const deed = await call('payer', 'POST', '/api/auth/password', { token: 'no token', password })
        return deed.did(null, { merchant_id: null })
      },
    ],
    'auth.login': [
      async () => {
        const { user, deed } = await loggedIn()
        return deed.did(user.id, as(user))
      },
    ],
    'auth.confirmed': [
      async () => {
        const deed = await by('client', 'POST', '/api/auth/confirm', { password: world.stack.stack.client.password })
        return deed.did(world.ids.client)
      },
    ],
    'auth.factor_added': [
      async () => {
        const { user, adding } = await withFactor()
        return adding.did(user.id)
      },
    ],
    'auth.factor_removed': [
      async () => {
        const { user } = await withFactor()
        return (await by('operator', 'DELETE', `/api/users/${user.id}/factor`)).did(user.id)
      },
    ],
    'auth.recovery_code_used': [
      async () => {
        const { user, codes } = await withFactor()
        const { body } = await call('payer', 'POST', '/api/auth/login', { email: user.email, password })
        return (await post('login/factor', { mfa_token: body.mfa_token, code: codes[0] })).did(user.id, as(user))
      },
    ],
    'auth.login_failed': [
      async () => {
        const { user } = await userWithPassword()
        const attempt = { email: user.email, password: 'another long password' }
        return (await call('payer', 'POST', '/api/auth/login', attempt)).did(user.id)
      },
      async () => {
        const stranger = { email: 'stranger@audit.test', password }
        return (await call('payer', 'POST', '/api/auth/login', stranger)).did(null, { merchant_id: null })
      },
    ],
    'auth.refresh_reused': [
      async () => {
        const { user, refresh } = await loggedIn()
        await post('refresh', refresh)
        return (await call('payer', 'POST', '/api/auth/refresh', refresh)).did(user.id, as(user))
      },
    ],
    'auth.logout': [
      async () => {
        const { user, refresh } = await loggedIn()
        return (await post('logout', refresh)).did(user.id, as(user))
      },
    ],
    'auth.other_logins_ended': [
      async () => {
        const caller = await ownCaller()
        return (await world.asUser(caller, 'POST', '/api/me/logins/end')).did(caller.id)
      },
    ],
  }
}

function ofKeys({ by }: AuditWorld): Causes {
  const about = async (act: (path: string) => Promise<Deed>) => {
    const { body } = await by('client', 'POST', '/api/api-keys', { name: 'till' })
    return (await act(`/api/api-keys/${body.id}`)).did(body.id)
  }
  return {
    'api_key.created': [
      async () => {
        const deed = await by('client', 'POST', '/api/api-keys', { name: 'shop' })
        return deed.did(deed.body.id, { more: { metadata: { name: 'shop', scopes: null } } })
      },
    ],
    'api_key.renamed': [() => about(path => by('client', 'PUT', path, { name: 'old till' }))],
    'api_key.allowed_ips_changed': [
      () => about(path => by('operator', 'PUT', path, { allowed_ips: ['203.0.113.7/32'] })),
    ],
    'api_key.scopes_changed': [() => about(path => by('client', 'PUT', path, { scopes: ['checkout:read'] }))],
    'api_key.rotated': [() => about(path => by('client', 'POST', `${path}/rotate`, { overlap_seconds: 60 }))],
    'api_key.revoked': [() => about(path => by('operator', 'DELETE', path))],
  }
}

/** The commands on a payer's data, run by a person: here on what checkout holds of a payer who is unknown. */
function ofPayers({ stack }: AuditWorld): Causes {
  const run = (command: string) => async (): Promise<Happening> => {
    await stack.command('checkout', command, 'nobody@audit.test', '--by=Ana López')
    const about = { request_id: null, correlation_id: null, merchant_id: null, target_id: null }
    const more = { metadata: { sessions: 0, links: 0, payment_attempts: 0 } }
    return { ...about, actor: { type: 'command', id: 'Ana López' }, more }
  }
  return { 'payer.exported': [run('payer-export')], 'payer.erased': [run('payer-erase')] }
}

/** Commands of the deployment: they have no caller and no merchant. */
function ofSigningKeys({ stack }: AuditWorld): Causes {
  const run = (command: string) => async (): Promise<Happening> => {
    const { kid } = JSON.parse(await stack.command('gateway', command))
    return { target_id: kid, ...system, correlation_id: null, merchant_id: null }
  }
  return {
    'auth.signing_key_rotated': [run('rotate-signing-key')],
    'auth.signing_keys_replaced': [run('replace-signing-keys')],
  }
}
