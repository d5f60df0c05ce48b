import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RunningStack } from '@cobro/local-stack'
import type { OnStop } from '@cobro/runtime'
import type { WebhookLoad, WebhookLoaded } from './webhook-load.ts'

/** A process that emits events. */
export interface WebhookLoader {
  pid: number
  emit: (load: WebhookLoad) => Promise<WebhookLoaded>
}

/** Emits events of Cobro or the floor from a separate process, so that this work does not delay the receiver. */
export async function startWebhookLoad(
  { stack }: RunningStack,
  system: 'cobro' | 'floor',
  onStop: OnStop,
): Promise<WebhookLoader> {
  const { postgres_url: DATABASE_URL, amqp_url: AMQP_URL } = stack
  const env = { PATH: process.env.PATH, DATABASE_URL, AMQP_URL, LOADED_SYSTEM: system }
  const child = fork(join(import.meta.dirname, 'webhook-load.ts'), { execArgv: ['--conditions=cobro-source'], env })
  const exited = once(child, 'exit')
  onStop(async () => {
    if (child.connected) child.disconnect()
    await exited
  })
  const next = async () => {
    const ended = exited.then(([code]) => {
      throw new Error(`The process that emits events ended with ${code}.`)
    })
    const [message] = await Promise.race([once(child, 'message'), ended])
    return message
  }
  await next()
  const emit = (load: WebhookLoad): Promise<WebhookLoaded> => {
    child.send(load)
    return next()
  }
  return { pid: child.pid ?? Number.NaN, emit }
}
