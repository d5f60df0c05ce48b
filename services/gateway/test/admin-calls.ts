import { bearer, clients, type GatewayWorld, gatewayUnderTest, operator, send } from './gateway-world.ts'

export const password = 'a password that is long'

export type Headers = Record<string, string>

let made = 0
/** Returns an unused e-mail address. */
export const newEmail = () => `user-${++made}@cobro.test`

/** A gateway with an operator and a client, and functions for the administrative operations. */
export async function adminWorld(change?: Parameters<typeof gatewayUnderTest>[0]) {
  const world = await gatewayUnderTest(change)
  const asOperator: Headers = bearer((await world.login(operator)).token)
  const asClient: Headers = bearer((await world.login(clients[0])).token)
  const call = (headers: Headers, method: string, path: string, body?: unknown) =>
    send(world.url, path, { method, headers, body })
  /** Creates a user that can log in, and returns its id and credentials. */
  const makeUser = async (facts: object, by: Headers = asOperator) => {
    const account = { email: newEmail(), password }
    const { status, body } = await call(by, 'POST', '/api/users', { ...account, ...facts })
    if (status !== 201) throw new Error(`a user: ${status} ${body.error}`)
    const login = await world.login(account)
    return { id: body.data.id as string, account, login, headers: bearer(login.token) as Headers }
  }
  const makeOperator = (merchants: 'all' | string[]) => makeUser({ role: 'operator', merchants })
  const makeMerchant = async (facts: object = {}): Promise<string> => {
    const body = { name: 'Café Verde', legal_name: 'Café Verde SA de CV', ...facts }
    return (await call(asOperator, 'POST', '/api/merchants', body)).body.data.id
  }
  return { ...world, asOperator, asClient, call, makeUser, makeOperator, makeMerchant }
}

export type AdminWorld = Awaited<ReturnType<typeof adminWorld>>

/** Returns the events received so far about an object, oldest first. */
export const eventsOf = ({ tap }: Pick<GatewayWorld, 'tap'>, id: string) =>
  tap.messages.filter(({ name, target_id }) => target_id === id && name !== 'http.request')

/** Functions for the user operations, by default called as an operator of all merchants. */
export function userCalls(worldOf: () => AdminWorld) {
  const path = '/api/users'
  const call = (method: string, at: string, by?: Headers, body?: unknown) =>
    worldOf().call(by ?? worldOf().asOperator, method, `${path}${at}`, body)
  const open = (what: string, body: object) => send(worldOf().url, `/api/auth/${what}`, { body })
  return {
    client: (change: object = {}) => ({
      email: newEmail(),
      role: 'client',
      merchant_id: worldOf().azul.merchant_id,
      ...change,
    }),
    create: (body: unknown, by?: Headers) => call('POST', '', by, body),
    change: (id: string, body: unknown, by?: Headers) => call('PUT', `/${id}`, by, body),
    read: (id: string, by?: Headers) => call('GET', `/${id}`, by),
    remove: (id: string, by?: Headers) => call('DELETE', `/${id}`, by),
    list: (query = '', by?: Headers) => call('GET', query, by),
    issueToken: (id: string, by?: Headers) => call('POST', `/${id}/setup-token`, by, {}),
    login: (account: object) => open('login', account),
    refresh: (refresh_token: string) => open('refresh', { refresh_token }),
  }
}

export const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)
