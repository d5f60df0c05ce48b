import { claimTurns } from './claim-turns.ts'

describe('claimTurns', () => {
  test('claimTurns runs claims one after the other, in the order in which they came', async () => {
    const turns = claimTurns()
    const first = Promise.withResolvers<void>()
    const order: string[] = []
    const claims = [
      turns.take(() => first.promise.then(() => void order.push('first'))),
      turns.takeAlone(async () => void order.push('second')),
      turns.take(async () => void order.push('third')),
    ]
    first.resolve()
    await Promise.all(claims)
    expect(order).toEqual(['first', 'second', 'third'])
  })

  test('claimTurns runs the next claim although the one before never ends, but not one that has to be alone', async () => {
    const turns = claimTurns()
    void turns.take(() => new Promise(() => undefined))
    const claim = async () => 'claimed'
    const alone = [turns.takeAlone(claim), turns.takeAlone(claim)]
    expect(await Promise.all(alone)).toEqual([undefined, undefined])
    expect(await turns.takeAlone(claim)).toBe(undefined)
    expect(await turns.take(claim)).toBe('claimed')
    expect(await turns.takeAlone(claim)).toBe(undefined)
  })

  test('claimTurns can be taken alone again once a claim that took long has ended', async () => {
    const turns = claimTurns()
    const long = Promise.withResolvers<void>()
    const taken = turns.take(() => long.promise)
    const claim = async () => 'claimed'
    expect(await turns.takeAlone(claim)).toBe(undefined)
    long.resolve()
    await taken
    expect(await turns.takeAlone(claim)).toBe('claimed')
  })

  test('claimTurns runs the next claim after one that failed', async () => {
    const turns = claimTurns()
    const failed = turns.take(() => Promise.reject(new Error('lost')))
    const next = turns.takeAlone(async () => 'claimed')
    await expect(failed).rejects.toThrow('lost')
    expect(await next).toBe('claimed')
  })
})
