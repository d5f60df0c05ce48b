import { createHmac } from 'node:crypto'
import { type LoginName, loginDefinitions, loginNames, loginUser } from '@cobro/contracts/broker'
import { userError } from '../machine/user-error.ts'

/** A broker's URLs: for each login of a namespace, and for the administrator. */
export interface BrokerUrls {
  url: (login: LoginName) => string
  adminUrl: string
}

/** A broker as its administrator reaches it. */
export interface BrokerAdministrator {
  amqpUrl: string
  /** The URL of RabbitMQ's management API, with the administrator's name and password. */
  apiUrl: string
}

/**
 * Creates the logins of a namespace, with the rights that follow from the contracts. Idempotent and
 * safe to run concurrently.
 */
export async function prepareBroker(input: BrokerAdministrator & { namespace: string }): Promise<BrokerUrls> {
  const { amqpUrl, apiUrl, namespace } = input
  const logins = loginNames.map(login => ({
    login,
    credentials: { password: loginPassword(amqpUrl, loginUser(namespace, login)) },
  }))
  const vhost = decodeURIComponent(new URL(amqpUrl).pathname.slice(1)) || '/'
  await callApi(apiUrl, 'POST', '/api/definitions', loginDefinitions({ namespace, vhost, logins }))
  return brokerUrls(amqpUrl, namespace)
}

/** Returns the URLs that are valid after `prepareBroker`. */
export function brokerUrls(amqpUrl: string, namespace: string): BrokerUrls {
  const url = (login: LoginName) => {
    const own = new URL(amqpUrl)
    own.username = loginUser(namespace, login)
    own.password = loginPassword(amqpUrl, own.username)
    return own.href
  }
  return { url, adminUrl: amqpUrl }
}

/** Deletes the logins of a namespace, which closes their connections. All of them have to exist. */
export function deleteLogins(apiUrl: string, namespace: string): Promise<void> {
  const users = loginNames.map(login => loginUser(namespace, login))
  return callApi(apiUrl, 'POST', '/api/users/bulk-delete', { users })
}

/** Returns where the management API of a broker is by default. */
export function defaultApiUrl(amqpUrl: string): string {
  const { protocol, username, password, hostname } = new URL(amqpUrl)
  const secure = protocol === 'amqps:'
  const url = new URL(`${secure ? 'https' : 'http'}://${hostname}:${secure ? 15_671 : 15_672}`)
  return Object.assign(url, { username: username || 'guest', password: password || 'guest' }).href
}

/** Returns whether the management API answers, also if it rejects the login. */
export async function answersApi(apiUrl: string): Promise<boolean> {
  const response = await fetch(withoutLogin(apiUrl), { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  await response?.body?.cancel()
  return response !== undefined
}

async function callApi(apiUrl: string, method: string, path: string, body: object): Promise<void> {
  const { username, password } = new URL(apiUrl)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const response = await fetch(new URL(path, withoutLogin(apiUrl)), {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  const answer = await response.text()
  if (!response.ok) throw userError(`RabbitMQ's management API answered ${response.status} to ${path}: ${answer}`)
}

function withoutLogin(apiUrl: string): URL {
  return Object.assign(new URL(apiUrl), { username: '', password: '' })
}

/** Derives a login's password from the administrator's, like that of a database role. */
function loginPassword(amqpUrl: string, user: string): string {
  const { password } = new URL(amqpUrl)
  return createHmac('sha256', password || 'guest')
    .update(`cobro login ${user}`)
    .digest('base64url')
}
