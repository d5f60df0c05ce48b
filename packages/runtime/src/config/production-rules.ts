import { z } from 'zod'
import { isTrivialKey, isTrivialText } from './trivial-secrets.ts'

/** Connections of which `TLS_BY_MESH` can say that something else encrypts them. */
export const meshConnections = ['services', 'postgresql', 'rabbitmq'] as const

type Env = Readonly<Record<string, string | undefined>>

/** Returns what production needs of a setting, or undefined. The answer never contains the value. */
export type ProductionRule = (value: string | undefined, env: Env) => string | undefined

const rules = z.registry<{ rule: ProductionRule }>()

/** Returns the setting with a rule that `readConfig` applies to its text, in production only. */
export function inProduction<S extends z.ZodType>(setting: S, rule: ProductionRule): S {
  const ruled = setting.clone()
  rules.add(ruled, { rule })
  return ruled
}

/** Returns what production does not allow: of the settings, and of the variables of the process. */
export function findUnsafeSettings(settings: z.ZodObject, env: Env): { name: string; message: string }[] {
  const ruled = Object.entries<z.ZodType>(settings.shape).map(([name, setting]) => ({
    name,
    rule: rules.get(setting)?.rule,
  }))
  return [...ruled, ...processRules].flatMap(({ name, rule }) => {
    const expected = rule?.(env[name], env)
    return expected === undefined ? [] : [{ name, message: `${expected} in production` }]
  })
}

/** Requires a setting that is optional elsewhere. */
export function required(what: string): ProductionRule {
  return value => (value === undefined ? `expected ${what}` : undefined)
}

/** Applies a rule unless `TLS_BY_MESH` says that the connection is encrypted outside of the process. */
export function unlessMesh(connection: (typeof meshConnections)[number], rule: ProductionRule): ProductionRule {
  return (value, env) => {
    const byMesh = env.TLS_BY_MESH?.split(',').some(item => item.trim() === connection)
    const expected = byMesh ? undefined : rule(value, env)
    return expected && `${expected}, or ${connection} in TLS_BY_MESH,`
  }
}

/** Requires all rules, and returns everything that they expect. */
export function allOf(...all: ProductionRule[]): ProductionRule {
  return (value, env) => all.flatMap(rule => rule(value, env) ?? []).join(' and ') || undefined
}

/** Requires https of every URL in a list. */
export const httpsUrls: ProductionRule = value =>
  items(value).every(item => URL.parse(item)?.protocol === 'https:') ? undefined : 'expected https'

/** Requires TLS with a checked certificate and host name of a PostgreSQL URL. */
export const verifyFull: ProductionRule = value => {
  const modes = parameters(value, 'sslmode')
  return modes.length > 0 && modes.every(mode => mode === 'verify-full') ? undefined : 'expected sslmode=verify-full'
}

/** Requires a password that is not a default or a client certificate. */
export const databaseLogin: ProductionRule = value => {
  const withCertificate = parameters(value, 'sslcert').length > 0 && credentialsOf(value).password === ''
  return withCertificate ? undefined : ownPassword(value, {})
}

/** Requires TLS of a RabbitMQ URL. */
export const amqps: ProductionRule = value =>
  value && URL.parse(value)?.protocol === 'amqps:' ? undefined : 'expected amqps'

const minPasswordLength = 12
const minTokenLength = 16

/** Requires a password in a URL that is neither short nor the user's name. */
export const ownPassword: ProductionRule = value => {
  const { username, password } = credentialsOf(value)
  const strong = !isTrivialText(password, minPasswordLength) && password !== username
  return strong ? undefined : `expected a password of at least ${minPasswordLength} characters, not the user's name`
}

/** Requires a token that is hard to guess. */
export const strongToken: ProductionRule = (value = '') =>
  isTrivialText(value, minTokenLength) ? `expected a random key of at least ${minTokenLength} characters` : undefined

const randomKeys = 'expected random keys'

/** Requires random keys in a key ring (`id:base64`). */
export const strongKeyRing: ProductionRule = value =>
  items(value).some(item => isTrivialKey(Buffer.from(item.split(':')[1] ?? '', 'base64'))) ? randomKeys : undefined

const jwk = z.looseObject({ d: z.string().optional(), x: z.string().optional() })
const jwks = z.union([z.object({ keys: z.array(jwk) }).transform(({ keys }) => keys), jwk.transform(key => [key])])

/** Requires random keys in a JWK or in a set of them. Anyone can sign for some trivial public keys. */
export const strongJwks: ProductionRule = value => {
  const parts = (jwks.safeParse(jsonOf(value)).data ?? [])
    .flatMap(({ d, x }) => [d, x])
    .filter(part => part !== undefined)
  return parts.some(part => isTrivialKey(Buffer.from(part, 'base64url'))) ? randomKeys : undefined
}

/** No network of proxies is larger than 10.0.0.0/8. */
const minPrefixBits = 8

/** Requires a decision about proxies. Ranges with the addresses of callers let them forge theirs. */
export const proxies: ProductionRule = value => {
  const ranges = items(value)
  if (ranges.length === 0) return 'expected the CIDRs of the proxies in front of the gateway, or none,'
  return ranges.some(range => Number(range.split('/')[1]) < minPrefixBits)
    ? 'expected CIDRs of proxies, not of all addresses,'
    : undefined
}

/** Requires that a switch is off. */
export const switchedOff: ProductionRule = value =>
  value === undefined || z.stringbool().safeParse(value).data === false ? undefined : 'expected false'

/** Requires that a switch that is on by default is off. */
export const isFalse: ProductionRule = value => (value === 'false' ? undefined : 'expected false')

const processRules: { name: string; rule: ProductionRule }[] = [
  { name: 'NODE_TLS_REJECT_UNAUTHORIZED', rule: value => (value === '0' ? 'expected no 0' : undefined) },
  { name: 'PROTOCOL_TIMINGS', rule: value => (value === undefined ? undefined : 'expected none') },
  { name: 'METRICS_TOKEN', rule: (value, env) => (value === undefined ? undefined : strongToken(value, env)) },
]

/** Returns user name and password of a URL, as they are sent. */
function credentialsOf(value = ''): { username: string; password: string } {
  const { username = '', password = '' } = URL.parse(value) ?? {}
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return { username, password: '' }
  }
}

function items(value = ''): string[] {
  return value
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)
}

function parameters(url = '', name: string): string[] {
  return URL.parse(url)?.searchParams.getAll(name) ?? []
}

function jsonOf(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
