import { velocityRules } from '@cobro/contracts'
import { z } from 'zod'
import { defaultLimits, velocityLimits, velocitySettings } from './velocity-settings.ts'

const settings = z.object(velocitySettings)
const minute = 60_000

test('reads a limit as a number and a time in minutes, hours or days', () => {
  const config = settings.parse({ VELOCITY_ADDRESS: '5/90m', VELOCITY_PAYABLE: '7/2h', VELOCITY_CARD: '9/30d' })
  expect(velocityLimits(config, 'production')).toMatchObject({
    address_attempts: { max: 5, windowMs: 90 * minute },
    payable_attempts: { max: 7, windowMs: 120 * minute },
    card_attempts: { max: 9, windowMs: 30 * 24 * 60 * minute },
  })
})

test.each(['', '30', '0/1h', '30/0h', '30/31d', '30/1w', '-1/1h', '30 / 1h', '1e3/1h', '30/1h,40/1d'])(
  'rejects the limit "%s"',
  text => {
    const { error } = settings.safeParse({ VELOCITY_ADDRESS: text })
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['VELOCITY_ADDRESS'], 'expected a limit such as 30/24h, for at most 30d'],
    ])
  },
)

test('each rule has a limit without any setting, and the shared test cards of a sandbox have a higher one', () => {
  expect(Object.keys(defaultLimits).toSorted()).toEqual([...velocityRules].toSorted())
  const sandbox = velocityLimits(settings.parse({}), 'sandbox')
  expect([defaultLimits.card_attempts.max, sandbox.card_attempts.max]).toEqual([20, 1000])
  expect({ ...sandbox, card_attempts: null }).toEqual({ ...defaultLimits, card_attempts: null })
})
