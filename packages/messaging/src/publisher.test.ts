import { EventEmitter } from 'node:events'
import type { ConfirmChannel } from 'amqplib'
import { publishConfirmed } from './publisher.ts'

test('each return of a message rejects one publish of it, also while another is unconfirmed', async () => {
  const confirms: ((error: unknown) => void)[] = []
  const publish = (...given: unknown[]) => confirms.push(given.at(-1) as (error: unknown) => void)
  const channel = Object.assign(new EventEmitter(), { publish })
  const publishOne = () =>
    publishConfirmed(channel as unknown as ConfirmChannel, 'events', 'merchant.updated', {
      id: 'evt_1',
      body: Buffer.from('{}'),
    })
  const publishing = [publishOne(), publishOne(), publishOne()]
  for (let returns = 0; returns < 2; returns++) channel.emit('return', { properties: { messageId: 'evt_1' } })
  for (const confirm of confirms) confirm(null)
  const outcomes = await Promise.allSettled(publishing)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})
