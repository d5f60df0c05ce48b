import { type Message, newId } from '@cobro/contracts'
import { auditRecord } from './audit-record.ts'
import { eventIdRange } from './event-id-range.ts'

const recordedAt = (idMs: number, statedMs: number) =>
  auditRecord(
    {
      id: newId('evt', idMs),
      name: 'payment.approved',
      occurred_at: new Date(statedMs).toISOString(),
      data: {},
    } as unknown as Message,
    null,
  )!

test('the id range of days contains all their events, however far their times are from their ids', () => {
  const [startMs, endMs] = [Date.parse('2026-05-03'), Date.parse('2026-05-04T23:59:59.999Z')]
  const { lowest = '', below = '' } = eventIdRange({ from: new Date(startMs), to: new Date(endMs) })
  for (const statedMs of [startMs, endMs])
    for (let driftHours = -48; driftHours <= 48; driftHours++) {
      const { id, occurred_at } = recordedAt(statedMs + driftHours * 3_600_000, statedMs)
      const isOfDays = Date.parse(occurred_at) >= startMs && Date.parse(occurred_at) <= endMs
      if (isOfDays) expect(id >= lowest && id < below).toBe(true)
    }
})

test('the id range of open-ended days is open-ended, and days before 1970 start at the first id', () => {
  expect(eventIdRange({})).toEqual({ lowest: undefined, below: undefined })
  expect(eventIdRange({ from: new Date('0001-01-01'), to: new Date('0001-01-02') })).toEqual({
    lowest: 'evt_00000000000000000000000000',
    below: 'evt_00000000000000000000000000',
  })
  expect(eventIdRange({ to: new Date('9999-12-31T23:59:59.999Z') }).below).toMatch(/^evt_[0-7]/)
})
