import { claimTurns } from './claim-turns.ts'

describe('claimTurns', () => {
  test('claimTurns runs the next claim once the one in progress has ended', async () => {
    const turns = claimTurns()
    const first = Promise.withResolvers<void>()
    const order: string[] = []
    const taken = turns.take(() => first.promise.then(() => void order.push('first')))
    const next = turns.takeNext(async () => void order.push('next'))
    first.resolve()
    await Promise.all([taken, next])
    expect(order).toEqual(['first', 'next'])
    expect(turns.isTaken()).toBe(false)
  })

  test('claimTurns runs the next claim although the one in progress never ends', async () => {
    const turns = claimTurns()
    void turns.take(() => new Promise(() => undefined))
    expect(await turns.takeNext(async () => 'claimed')).toBe('claimed')
  })

  test('claimTurns are taken while a claim waits, and by the last claim that was taken', async () => {
    const turns = claimTurns()
    const [slow, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const taken = turns.take(() => slow.promise)
    const waiting = turns.takeNext(() => next.promise)
    expect(turns.isTaken()).toBe(true)
    slow.resolve()
    await taken
    // The claim that waited is in progress now, and the end of the one before it changes nothing.
    expect(turns.isTaken()).toBe(true)
    next.resolve()
    await waiting
    expect(turns.isTaken()).toBe(false)
  })

  test('claimTurns are free again after a claim that failed', async () => {
    const turns = claimTurns()
    await expect(turns.take(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(turns.isTaken()).toBe(false)
  })
})
