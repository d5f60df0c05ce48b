import { allHistories, type Exception, lintMigrations } from './lint-migrations.ts'
import { migrationExceptions } from './migration-exceptions.ts'

test('every migration follows the migration rules or has an exception', async () => {
  expect(await lintMigrations(await allHistories(), migrationExceptions)).toEqual([])
})

test('allHistories loads every migration of every service once, in order', async () => {
  const histories = await allHistories()
  expect(histories.map(({ service }) => service)).toEqual([
    'acquirer-sandbox',
    'audit-log',
    'checkout',
    'gateway',
    'transactions',
    'webhooks-dispatcher',
  ])
  for (const { migrations } of histories) {
    const names = migrations.map(({ name }) => name)
    expect(names.map(name => name.slice(0, 5))).toEqual(
      names.map((_name, place) => `${String(place + 1).padStart(4, '0')}-`),
    )
  }
})

const histories = [
  {
    service: 'shop',
    migrations: [
      { name: '0001-shop', statements: ['create table orders (id text)'], transactional: true },
      { name: '0002-drop', statements: ['drop table orders; drop table carts'], transactional: true },
    ],
  },
]
const exception: Exception = { migration: 'shop/0002-drop', rules: ['drop'], because: 'Nothing uses them since 0.2.' }

test('lintMigrations reports a violation with its migration, its statement and what to do instead', async () => {
  const [first, ...others] = await lintMigrations(histories, [])
  expect(first).toMatch(/^shop\/0002-drop: drop: drop table orders\n {2}Stop using it in one release/)
  expect(others).toEqual([expect.stringContaining('shop/0002-drop: drop: drop table carts')])
})

test('an exception applies only to its migration and its rule', async () => {
  expect(await lintMigrations(histories, [exception])).toEqual([])
  const others: Exception[] = [
    { ...exception, migration: 'shop/0001-shop' },
    { ...exception, migration: 'bakery/0002-drop' },
    { ...exception, rules: ['rename'] },
  ]
  for (const other of others) {
    const problems = await lintMigrations(histories, [other])
    expect(problems).toHaveLength(3)
    expect(problems.at(-1)).toBe(`${other.migration}: ${other.rules}: the exception is not needed`)
  }
})

test('lintMigrations reports an exception that is duplicated or not needed', async () => {
  const unused = 'the exception is not needed'
  expect(await lintMigrations(histories, [exception, exception])).toEqual([`shop/0002-drop: drop: ${unused}`])
  expect(await lintMigrations(histories, [{ ...exception, rules: ['drop', 'truncate'] }])).toEqual([
    `shop/0002-drop: truncate: ${unused}`,
  ])
})
