import { type Logger, wakeSignal, withTimeout } from '@cobro/runtime'
import type { ChannelModel } from 'amqplib'
import { closeTimeoutMs, connectBroker } from './connect-broker.ts'

const minDelayMs = 200
const maxDelayMs = 1_000

/**
 * Keeps one connection to the broker open. `setup` creates its channels on every new connection;
 * while it runs, and between connections, `connected` returns false. So it does while the broker is short of memory or disk and
 * blocks connections that publish: it reads nothing from them, and what is sent waits in memory (ADR 96).
 * amqplib's own recovery (amqp-node/amqplib#833) can stay down for good when a connection is lost during its setup. This loop can
 * go once that is fixed.
 */
export function keepConnected(options: { url: string; logger: Logger; setup: (model: ChannelModel) => Promise<void> }) {
  const { logger, setup } = options
  const signal = wakeSignal()
  let model: ChannelModel | undefined
  let ready = false
  let blocked = false
  let closing = false

  const connectOnce = async (): Promise<void> => {
    const opened = await connectBroker(options.url)
    const closed = new Promise<void>(resolve => opened.once('close', () => resolve()))
    opened.on('error', error => logger.warn({ err: error }, 'connection to RabbitMQ failed'))
    blocked = false
    opened.on('blocked', reason => {
      blocked = true
      logger.warn({ reason }, 'RabbitMQ blocks publishers')
    })
    opened.on('unblocked', () => {
      blocked = false
      logger.info('RabbitMQ accepts messages again')
    })
    model = opened
    if (closing) return void (await opened.close())
    await Promise.race([
      setup(opened),
      closed.then(() => Promise.reject(new Error('RabbitMQ closed the connection during its setup'))),
    ])
    ready = true
    await closed
  }
  const loop = (async () => {
    for (let delayMs = minDelayMs; !closing; ready = false) {
      try {
        await connectOnce()
        delayMs = minDelayMs
      } catch (error) {
        if (!closing) logger.warn({ err: error, delay_ms: delayMs }, 'RabbitMQ is unavailable')
        await model?.close().catch(() => undefined)
        delayMs = Math.min(delayMs * 2, maxDelayMs)
      }
      model = undefined
      ready = false
      if (!closing) await signal.wait(delayMs)
    }
  })()
  return {
    connected: () => ready && !blocked,
    /** Whether the broker blocks the connection, which it does from the first message that is sent. */
    blocked: () => blocked,
    close: async () => {
      closing = true
      signal.wake()
      void model?.close().catch(() => undefined)
      await withTimeout(closeTimeoutMs, loop)
    },
  }
}
