import { claimTurns } from './claim-turns.ts'

describe('claimTurns', () => {
  test('claimTurns runs claims one after the other, in the order in which they came', async () => {
    const turns = claimTurns()
    const first = Promise.withResolvers<void>()
    const order: string[] = []
    const claims = [
      turns.take(() => first.promise.then(() => void order.push('first'))),
      ...['second', 'third'].map(name => turns.take(async isAlone => void order.push(`${name} ${isAlone}`))),
    ]
    first.resolve()
    await Promise.all(claims)
    expect(order).toEqual(['first', 'second true', 'third true'])
  })

  test('claimTurns runs a claim at once when no other is in progress', () => {
    let isRunning = false
    void claimTurns().take(async () => {
      isRunning = true
    })
    expect(isRunning).toBe(true)
  })

  test('claimTurns runs the next claim although the one before never ends, and says so', async () => {
    const turns = claimTurns()
    void turns.take(() => new Promise(() => undefined))
    expect(await turns.take(async isAlone => isAlone)).toBe(false)
    expect(await turns.take(async isAlone => isAlone)).toBe(true)
  })

  test('claimTurns runs the next claim after one that failed', async () => {
    const turns = claimTurns()
    const failed = turns.take(() => Promise.reject(new Error('lost')))
    const next = turns.take(async isAlone => isAlone)
    await expect(failed).rejects.toThrow('lost')
    expect(await next).toBe(true)
  })
})
