import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import amqp, { type ConfirmChannel, type ConsumeMessage } from 'amqplib'
import { Pool as Connections } from 'pg'
import { Pool as Upstream } from 'undici'
import type { PaymentRows } from './payment-rows.ts'

/** What each process of the floor gets. `Rows` are those that it inserts again. */
export interface FloorSettings<Rows = PaymentRows> {
  postgresUrl: string
  amqpUrl: string
  /** Where the processes that were started before listen. */
  urls: Record<string, string>
  rows: Rows
  /** The private key with which the sandbox decrypts cards, and that with which the gateway signs identities. */
  keys: { card: object; identity: object }
  endpoint: { url: string; secret: string }
  /** Of the gateway. */
  spoolFile: string
}

export interface FloorMessage {
  id: string
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the contents differ by name.
  data: any
}

const exchange = 'floor'

/** Runs a process of the floor: sends the URL of its server, if it has one, when it is ready. */
export function runFloorProcess<Rows = PaymentRows>(
  start: (settings: FloorSettings<Rows>) => Promise<string | undefined>,
): void {
  process.once(
    'message',
    (settings: FloorSettings<Rows>) => void start(settings).then(url => process.send?.(url ?? '')),
  )
  process.once('disconnect', () => process.exit(0))
}

/** Serves JSON. Returns the URL. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies differ by path.
export async function serve(answer: (path: string, body: any, headers: any) => Promise<object>): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = Buffer.from(JSON.stringify(await answer(request.url ?? '', await json(request), request.headers)))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns a function that posts JSON to a server and returns its answer. */
export function caller(url: string) {
  const upstream = new Upstream(url, { connections: 128 })
  // biome-ignore lint/suspicious/noExplicitAny: the answers differ by path.
  return async (path: string, body: object, headers: Record<string, string> = {}): Promise<any> => {
    const content = { 'content-type': 'application/json', ...headers }
    const answer = await upstream.request({ method: 'POST', path, headers: content, body: JSON.stringify(body) })
    return answer.body.json()
  }
}

/** Opens as many connections as a service of Cobro has. */
export function connect(url: string, name: string): Connections {
  return new Connections({ connectionString: url, application_name: `floor-${name}`, max: 16 })
}

/** Publishes to quorum queues with confirms, and consumes from them with acknowledgements. */
export async function openBroker(url: string) {
  const connection = await amqp.connect(url, { noDelay: true })
  const channel = await connection.createConfirmChannel()
  await channel.assertExchange(exchange, 'topic')
  return {
    /** Publishes a message. Resolves when it is confirmed. */
    publish: (message: FloorMessage) => publish(channel, message),
    /** Declares a queue, which gets messages by the patterns of their names. */
    declare: (queue: string, keys: string[]) => declare(channel, queue, keys),
    consume: (queue: string, keys: string[], take: (message: FloorMessage, done: () => void) => void) =>
      consume(channel, { queue, keys }, take),
  }
}

function publish(channel: ConfirmChannel, message: FloorMessage): Promise<void> {
  const body = Buffer.from(JSON.stringify(message))
  const properties = { persistent: true, mandatory: true, messageId: message.id, contentType: 'application/json' }
  return new Promise((resolve, reject) => {
    channel.publish(exchange, message.name, body, properties, error => (error ? reject(error) : resolve()))
  })
}

async function declare(channel: ConfirmChannel, queue: string, keys: string[]): Promise<string> {
  const name = `${exchange}.${queue}`
  await channel.assertQueue(name, { arguments: { 'x-queue-type': 'quorum' } })
  for (const key of keys) await channel.bindQueue(name, exchange, key)
  return name
}

async function consume(
  channel: ConfirmChannel,
  { queue, keys }: { queue: string; keys: string[] },
  take: (message: FloorMessage, done: () => void) => void,
): Promise<void> {
  const name = await declare(channel, queue, keys)
  await channel.prefetch(500)
  await channel.consume(name, delivery => {
    const received = delivery as ConsumeMessage
    take(JSON.parse(received.content.toString()), () => channel.ack(received))
  })
}

/** Hands over what has gathered, one batch at a time, each at least some milliseconds after the one before. */
export function inBatches<T>(gatherMs: number, handle: (batch: T[]) => Promise<unknown>): (item: T) => void {
  let gathered: T[] = []
  let running = false
  const run = async () => {
    running = true
    while (gathered.length > 0) {
      if (gatherMs > 0) await sleep(gatherMs)
      const batch = gathered
      gathered = []
      await handle(batch)
    }
    running = false
  }
  return item => {
    gathered.push(item)
    if (!running) void run()
  }
}
