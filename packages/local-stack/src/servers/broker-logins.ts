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

/**
 * Returns where the management API of a broker on its usual port is. That of a broker on another port
 * is unknown: the usual one may belong to another broker of the same host.
 */
export function defaultApiUrl(amqpUrl: string): string | undefined {
  const { protocol, username, password, hostname, port } = new URL(amqpUrl)
  const secure = protocol === 'amqps:'
  if (port && port !== (secure ? '5671' : '5672')) return undefined
  const url = new URL(`${secure ? 'https' : 'http'}://${hostname}:${secure ? 15_671 : 15_672}`)
  return Object.assign(url, { username: username || 'guest', password: password || 'guest' }).href
}

/** Returns whether the management API answers and its URL has the login of an administrator. */
export async function acceptsAdministrator(apiUrl: string): Promise<boolean> {
  const [url, headers] = splitLogin(apiUrl, '/api/whoami')
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) })
    const { tags } = (await response.json()) as { tags?: unknown }
    return String(tags).includes('administrator')
  } catch {
    return false
  }
}

async function callApi(apiUrl: string, method: string, path: string, body: object): Promise<void> {
  const [url, headers] = splitLogin(apiUrl, path)
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  const answer = await response.text()
  if (!response.ok) throw userError(`RabbitMQ's management API answered ${response.status} to ${path}: ${answer}`)
}

/** Returns the URL of a path, and the header with the login that `fetch` does not take in a URL. */
function splitLogin(apiUrl: string, path: string): [URL, { authorization: string }] {
  const { username, password } = new URL(apiUrl)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const url = new URL(path, Object.assign(new URL(apiUrl), { username: '', password: '' }))
  return [url, { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }]
}

/** Derives a login's password from the administrator's, like that of a database role. */
function loginPassword(amqpUrl: string, user: string): string {
  const { password } = new URL(amqpUrl)
  return createHmac('sha256', password || 'guest')
    .update(`cobro login ${user}`)
    .digest('base64url')
}
