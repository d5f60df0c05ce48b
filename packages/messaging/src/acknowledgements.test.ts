import type { ConsumeMessage } from 'amqplib'
import { gatherAcknowledgements } from './acknowledgements.ts'

const message = (deliveryTag: number) => ({ fields: { deliveryTag } }) as ConsumeMessage
const messages = (count: number) => Array.from({ length: count }, (_, i) => message(i + 1))
const turnEnds = () => new Promise(resolve => setImmediate(resolve))

/** A channel that records acknowledgements: `<=3` stands for all up to the third. */
function delivering(count: number) {
  const sent: string[] = []
  const ack = ({ fields }: { fields: { deliveryTag: number } }, allUpTo = false) =>
    void sent.push(`${allUpTo ? '<=' : ''}${fields.deliveryTag}`)
  const acks = gatherAcknowledgements({ ack }, () => undefined)
  const delivered = messages(count)
  for (const one of delivered) acks.delivered(one)
  return { sent, acks, done: (...tags: number[]) => tags.forEach(tag => void acks.ack(delivered[tag - 1]!)) }
}

test('messages that finish in one turn of the event loop are acknowledged by one frame, in whatever order they finished', async () => {
  const { sent, done } = delivering(5)
  done(3, 1, 2)
  expect(sent).toEqual([])
  await turnEnds()
  expect(sent).toEqual(['<=3'])
  done(4)
  await turnEnds()
  expect(sent).toEqual(['<=3', '4'])
})

test('a message that is still in flight is not acknowledged along with later ones', async () => {
  const { sent, done } = delivering(6)
  done(1, 2, 4, 6)
  await turnEnds()
  expect(sent).toEqual(['<=2', '4', '6'])
  done(3)
  await turnEnds()
  expect(sent).toEqual(['<=2', '4', '6', '3'])
  done(5)
  await turnEnds()
  expect(sent).toEqual(['<=2', '4', '6', '3', '5'])
})

test('in any order, each message is acknowledged once and only after it is done', async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const count = 12
    const { sent, done } = delivering(count)
    const order = messages(count).map((_, i) => i + 1)
    // A shuffle that a failing seed repeats.
    for (let i = order.length - 1, state = seed; i > 0; i--) {
      state = (state * 48_271) % 2_147_483_647
      const j = state % (i + 1)
      ;[order[i], order[j]] = [order[j]!, order[i]!]
    }
    const ended = new Set<number>()
    const acknowledged = new Set<number>()
    for (let at = 0; at < count; at += 1 + (seed % 4)) {
      const turn = order.slice(at, at + 1 + (seed % 4))
      for (const tag of turn) ended.add(tag)
      done(...turn)
      await turnEnds()
      for (const frame of sent.splice(0)) {
        const tag = Number(frame.replace('<=', ''))
        const from = frame.startsWith('<=') ? 1 : tag
        const fresh = Array.from({ length: tag - from + 1 }, (_, i) => from + i).filter(one => !acknowledged.has(one))
        expect(fresh.length).toBeGreaterThan(0)
        for (const one of fresh) {
          expect(ended.has(one)).toBe(true)
          acknowledged.add(one)
        }
      }
    }
    expect(acknowledged.size).toBe(count)
  }
})

test('flush sends pending acknowledgements at once, and only once', async () => {
  const { sent, acks, done } = delivering(2)
  done(1, 2)
  acks.flush()
  expect(sent).toEqual(['<=2'])
  await turnEnds()
  expect(sent).toEqual(['<=2'])
})

test('acknowledging on a closed channel reports the failure and throws nothing', async () => {
  const lost: number[] = []
  const gone = () => {
    throw new Error('Channel closed')
  }
  const acks = gatherAcknowledgements({ ack: gone }, (_error, count) => lost.push(count))
  for (const one of messages(3)) {
    acks.delivered(one)
    acks.ack(one)
  }
  await turnEnds()
  expect(lost).toEqual([3])
})
