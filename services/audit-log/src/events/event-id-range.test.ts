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

test('an event of a day is among the ids of that day, however far its time lies from its id', () => {
  const { lowest = '', below = '' } = eventIdRange({ from: '2026-05-03', to: '2026-05-04' })
  const [startMs, endMs] = [Date.parse('2026-05-03'), Date.parse('2026-05-04T23:59:59.999Z')]
  for (const statedMs of [startMs, endMs])
    for (let apartHours = -48; apartHours <= 48; apartHours++) {
      const { id, occurred_at } = recordedAt(statedMs + apartHours * 3_600_000, statedMs)
      const isOfDays = Date.parse(occurred_at) >= startMs && Date.parse(occurred_at) <= endMs
      if (isOfDays) expect(id >= lowest && id < below).toBe(true)
    }
})

test('days without an end have ids without one, and days before all ids begin with the first', () => {
  expect(eventIdRange({})).toEqual({ lowest: undefined, below: undefined })
  expect(eventIdRange({ from: '0001-01-01', to: '0001-01-02' })).toEqual({
    lowest: 'evt_00000000000000000000000000',
    below: 'evt_00000000000000000000000000',
  })
  expect(eventIdRange({ to: '9999-12-31' }).below).toMatch(/^evt_[0-7]/)
})
