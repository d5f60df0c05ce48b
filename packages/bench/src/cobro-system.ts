import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hostedApiUrl, stackServiceNames } from '@cobro/local-stack'
import type { BenchStack } from './bench-stack.ts'
import type { PaymentSystem } from './payer.ts'
import type { Processes } from './payment-costs.ts'

/** Returns Cobro as a system to make payments with, with a webhook endpoint for every event. */
export async function cobroSystem({ stack }: BenchStack, receiverUrl: string): Promise<PaymentSystem> {
  const { base_url: url, hosted_url, api_key } = stack.stack
  const headers = { authorization: `Token ${api_key}` }
  const post = async (path: string, body: object) => {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${url}${path}`, init)
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: the answers differ by path.
    return response.json() as Promise<any>
  }
  await post('/api/webhooks', { url: receiverUrl, events: ['*'] })
  const session = await post('/checkout/v1/sessions', { amount_total: 25_000, return_url: 'https://shop.example' })
  const hosted = (await (await fetch(hostedApiUrl(hosted_url, session.id))).json()) as {
    data: { card_encryption_key: object }
  }
  return {
    url,
    headers,
    cardKey: hosted.data.card_encryption_key,
    sessions: '/checkout/v1/sessions',
    payment: ({ id }) => ({ path: `/hosted/v1/checkout/${id}/payments`, body: {} }),
  }
}

/** Returns the process ids of Cobro's services. */
export function cobroProcesses({ stack }: BenchStack): Processes {
  return Object.fromEntries(stackServiceNames.map(name => [name, stack.process(name).pid]))
}

/** Returns the process ids of PostgreSQL and RabbitMQ. */
export async function serverProcesses({ dir }: BenchStack): Promise<Processes> {
  const pidIn = async (...path: string[]) => Number.parseInt(await readFile(join(dir, ...path), 'utf8'), 10)
  return {
    PostgreSQL: await pidIn('postgres', 'postmaster.pid'),
    RabbitMQ: await pidIn('rabbitmq', 'rabbitmq.pid'),
  }
}
