import { unacknowledgedClaims } from './unacknowledged-claims.ts'

let now: number
let requeued: string[]
let failing: boolean
const create = () =>
  unacknowledgedClaims(
    async id => {
      if (failing) throw new Error('unavailable')
      requeued.push(id)
    },
    () => now,
  )
beforeEach(() => {
  now = 1_000
  requeued = []
  failing = false
})

describe('unacknowledgedClaims', () => {
  test('unacknowledgedClaims requeues a claim at once, and once more after it cannot be committed any more', async () => {
    const claims = create()
    claims.add('clm')
    await claims.requeueDue()
    now += 24_999
    await claims.requeueDue()
    expect([requeued, claims.some()]).toEqual([['clm'], true])
    now += 1
    await claims.requeueDue()
    expect([requeued, claims.some()]).toEqual([['clm', 'clm'], false])
    await claims.requeueDue()
    expect(requeued).toHaveLength(2)
  })

  test('unacknowledgedClaims keeps a claim that could not be requeued', async () => {
    const claims = create()
    claims.add('clm')
    failing = true
    await expect(claims.requeueDue()).rejects.toThrow('unavailable')
    failing = false
    await claims.requeueDue()
    expect([requeued, claims.some()]).toEqual([['clm'], true])
  })
})
