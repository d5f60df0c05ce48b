import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RunningStack } from '@cobro/local-stack'
import type { OnStop } from '@cobro/runtime'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

/** Emits events of Cobro or the floor from a separate process, so that this work does not delay the receiver. */
export async function startWebhookLoad({ stack }: RunningStack, system: 'cobro' | 'floor', onStop: OnStop) {
  const { postgres_url: DATABASE_URL, amqp_url: AMQP_URL } = stack
  const env = { PATH: process.env.PATH, DATABASE_URL, AMQP_URL, LOADED_SYSTEM: system }
  const child = fork(join(import.meta.dirname, 'webhook-load.ts'), { execArgv: ['--conditions=cobro-source'], env })
  onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.disconnect()
    await once(child, 'exit')
  })
  await once(child, 'message')
  return async (load: WebhookLoad): Promise<WebhookLoaded> => {
    child.send(load)
    const [loaded] = await once(child, 'message')
    return loaded
  }
}
