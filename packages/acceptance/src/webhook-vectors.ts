import { createHmac } from 'node:crypto'
import { exampleEvent, signWebhook } from '@cobro/sdk/testing'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import { seededRandom } from '@cobro/testing/seeded-random'

type Header = readonly [name: string, value: string]

/** A request for a receiver of webhooks, and the secrets and the time with which it verifies the request. */
export interface WebhookVector {
  name: string
  body: Buffer
  /** In their order. A name may occur more than once. */
  headers: readonly Header[]
  secrets: readonly string[]
  nowSeconds: number
}

const nowSeconds = 1_795_284_245
const key = Buffer.alloc(32, 'current').toString('base64')
const current = `whsec_${key}`
const old = `whsec_${Buffer.alloc(32, 'old').toString('base64')}`
const [timestamp, signature, previous] = [
  'X-Service-Signature-Timestamp',
  'X-Service-Signature-V1',
  'X-Service-Signature-V1-Previous',
] as const

/** Returns an event as it is delivered within a day after a rotation. */
async function delivered(ageSeconds = 0): Promise<WebhookVector> {
  const event = exampleEvent('payment.approved', { metadata: { name: 'José 🧾', note: '' } })
  const options = { nowMs: (nowSeconds - ageSeconds) * 1_000 }
  const [now, before] = await Promise.all([current, old].map(secret => signWebhook(event, secret, options)))
  return {
    name: `signed ${ageSeconds} s ago`,
    body: Buffer.from(now?.body ?? ''),
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Service-Event', 'payment.approved'],
      [timestamp, String(now?.headers['x-service-signature-timestamp'])],
      [signature, String(now?.headers['x-service-signature-v1'])],
      [previous, String(before?.headers['x-service-signature-v1'])],
    ],
    secrets: [current],
    nowSeconds,
  }
}

/** Replaces a header by others. */
function edited(vector: WebhookVector, name: string, change: (value: string) => readonly Header[]): WebhookVector {
  const headers = vector.headers.flatMap(header => (header[0] === name ? change(header[1]) : [header]))
  return { ...vector, headers }
}

type Edit = readonly [what: string, name: string, change: (value: string) => readonly Header[]]

const secretLists: [string, readonly string[]][] = [
  ['the previous secret', [old]],
  ['both secrets', [old, current]],
  ['another secret', [`whsec_${Buffer.alloc(32, 'other').toString('base64')}`]],
  ['no secret', []],
  ['an empty secret', ['']],
  ['an empty secret beside the current one', [current, '']],
  ['a secret without its prefix', [key]],
  ['a secret and a line break', [`${current}\n`]],
  ['a short secret', ['whsec_c2hvcnQ=']],
]
const headerEdits: Edit[] = [
  ...[timestamp, signature, previous].flatMap((name): Edit[] => [
    [`no ${name}`, name, () => []],
    [`${name} twice`, name, value => twice(name, value)],
    [`${name} twice, in other letters`, name, value => [[name.toLowerCase(), value], ...twice(name, value).slice(1)]],
    [`${name} in lower case`, name, value => [[name.toLowerCase(), value]]],
    [`${name} in upper case`, name, value => [[name.toUpperCase(), value]]],
    [`an empty ${name}`, name, () => [[name, '']]],
    [`${name} in one line twice`, name, value => [[name, `${value}, ${value}`]]],
    [`${name} and a space`, name, value => [[name, `${value} `]]],
    [`${name} and a line break`, name, value => [[name, `${value}\n`]]],
    [`${name} with an accent`, name, value => [[name, `${value}é`]]],
  ]),
  ['a signature in upper case', signature, value => [[signature, value.toUpperCase()]]],
  ['a signature with its version', signature, value => [[signature, `v1=${value}`]]],
]
const now = String(nowSeconds)
/** Times that are signed although no sender writes them so. */
const oddTimes = [
  ...['', 'abc', '-1', `+${now}`, ` ${now}`, `${now}\n`, `${now}.0`, '1e9', '0x6b01', `00${now}`, `000${now}`],
  // Digits of another script, which some languages read as numbers.
  now.replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
]

function twice(name: string, value: string, second = value): readonly Header[] {
  return [name, name].map((header, place) => [header, place === 0 ? value : second])
}

/** Replaces the time and the signature of a request. */
function signedAs(vector: WebhookVector, time: string, secret: string): WebhookVector {
  const hmac = createHmac('sha256', secret).update(`${time}.`).update(vector.body).digest('hex')
  return edited(
    edited(vector, timestamp, () => [[timestamp, time]]),
    signature,
    () => [[signature, hmac]],
  )
}

/** Returns requests that receivers have to accept or reject for a reason that has a name. */
export async function namedVectors(): Promise<WebhookVector[]> {
  const vector = await delivered()
  const laidOutAgain = JSON.stringify(JSON.parse(String(vector.body)), null, 2)
  return [
    ...(await Promise.all([0, -86_400, -301, -300, 300, 301, 86_400].map(delivered))),
    ...secretLists.map(([name, secrets]) => ({ ...vector, name, secrets })),
    ...[current, old].flatMap((secret, place) =>
      headerEdits.map(([what, header, change]) => {
        const name = `${what}, the ${place === 0 ? 'current' : 'previous'} secret`
        return { ...edited({ ...vector, secrets: [secret] }, header, change), name }
      }),
    ),
    ...oddTimes.map(time => ({ ...signedAs(vector, time, current), name: `the time ${JSON.stringify(time)}` })),
    ...['', 'whsec_', 'whsec_c2hvcnQ='].map(secret => {
      return {
        ...signedAs(vector, now, secret),
        secrets: [secret],
        name: `signed with a secret that is not whole: ${secret}`,
      }
    }),
    { ...vector, name: 'an empty body', body: Buffer.alloc(0) },
    { ...vector, name: 'a body laid out again', body: Buffer.from(laidOutAgain) },
  ]
}

/** Returns requests that differ from a delivered one in their body, a header or the secrets. */
export async function mutatedVectors(count: number, seed: number): Promise<WebhookVector[]> {
  const vector = await delivered()
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, number) => {
    const secrets = [[current], [old], [old, current]][Math.floor(random() * 3)] ?? []
    return { ...mutated({ ...vector, secrets }, random), name: `mutation ${number} of seed ${seed}` }
  })
}

function mutated(vector: WebhookVector, random: () => number): WebhookVector {
  const below = (limit: number) => Math.floor(random() * limit)
  const { body, headers, secrets } = vector
  /** Replaces, inserts or removes a character. */
  const changed = (text: string) => {
    const [place, character] = [below(text.length + 1), String.fromCharCode(32 + below(95))]
    return `${text.slice(0, place)}${random() < 0.3 ? '' : character}${text.slice(place + below(2))}`
  }
  const part = below(3)
  if (part === 0) return { ...vector, body: Buffer.from(changed(body.toString('latin1')), 'latin1') }
  if (part === 1)
    return { ...vector, secrets: secrets.map((secret, place) => (place === 0 ? changed(secret) : secret)) }
  const [name, other] = [headers[below(headers.length)]?.[0] ?? '', headers[below(headers.length)]?.[1] ?? '']
  const changes: Edit[2][] = [
    () => [],
    value => twice(name, value, changed(value)),
    value => [[name, changed(value)]],
    value => [[changed(name) || 'X', value]],
    () => [[name, other]],
  ]
  return edited(vector, name, changes[below(changes.length)] ?? (() => []))
}

/** Returns whether the SDK accepts a request. */
export async function sdkAccepts({ body, headers, secrets, nowSeconds: seconds }: WebhookVector): Promise<boolean> {
  const byName: Record<string, string[]> = {}
  for (const [name, value] of headers) byName[name] = [...(byName[name] ?? []), value]
  const event = verifyWebhook(body, byName, secrets, { nowMs: seconds * 1_000 })
  return event.then(
    () => true,
    () => false,
  )
}

/** Returns a vector as a line of text: body, time, secrets, and headers as name:value, all but the time in base64. */
export function lineOf({ body, nowSeconds: seconds, secrets, headers }: WebhookVector): string {
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const pairs = headers.map(pair => pair.map(encoded).join(':'))
  return [body.toString('base64'), seconds, secrets.map(encoded).join(','), pairs.join(',')].join('\t')
}
